import { expect } from "vitest";
import { type DefinitionCalls, definitionCallsOf } from "./definitionCalls.ts";
import { newPerson, type Person } from "./people.ts";
import { gate, startShop } from "./tasks.ts";

export interface ShownPlan {
  id: string;
  index: number;
  version: number;
  name: string;
  status: string;
  instance_code: string;
  updated_by: string;
  planning_time: number;
  approval_time: number;
  executing_time: number;
  success_time: number;
  approval?: {
    status: string;
    native_approval: { approve_users: Record<string, unknown>[]; flat_approve_users?: Record<string, unknown>[] };
    lark_approval?: { instance_code: string };
  };
  jobs: {
    id: string;
    name: string;
    type: string;
    status: string;
    executed_by: string;
    executed_time: number;
    spec: Record<string, unknown>;
  }[];
  [field: string]: unknown;
}

const path = "/openapi/release_plan/v1";

export function textJob(name: string, content = "") {
  return { name, type: "text", spec: { content, remark: "" } };
}

/** A job that runs a workflow of the project `shop`, with its job `gate`. */
export function workflowJob(key: string, spec: object = {}) {
  const inputs = [{ job_name: "gate", job_type: "approval" }];
  return { name: key, type: "workflow", spec: { workflow_key: key, project_key: "shop", inputs, ...spec } };
}

export function approvalBy(...uids: string[]) {
  const approve_users = uids.map((user_id) => ({ type: "user", user_id, user_name: user_id }));
  return {
    enabled: true,
    type: "native",
    native_approval: { timeout: 60, needed_approvers: uids.length, approve_users },
  };
}

/** A plan that Lee manages. */
export function planBody(more: object = {}) {
  return { name: "plan", manager: "lee", manager_identity_type: "system", ...more };
}

/**
 * A Slipway with a project `shop` and release plans that Lee manages. Its workflow `ship` has one gate, a parameter that
 * offers choices and one that is a credential; `off` is disabled, `held` waits for Lee.
 */
export async function givenPlans(settings: Readonly<Record<string, string>> = {}) {
  const { slipway, tasks } = await startShop({ settings });
  const calls: DefinitionCalls = definitionCallsOf(slipway);
  const lee: Person = await newPerson("lee");
  const params = [
    { name: "mode", type: "choice", choice_option: ["full", "quick"], value: "quick", default: "quick" },
    { name: "password", type: "string", value: "", is_credential: true },
  ];
  const native_approval = {
    needed_approvers: 1,
    approve_users: [{ type: "user", user_id: lee.uid, user_name: "lee" }],
  };
  const held = { name: "gate", type: "approval", spec: { type: "native", native_approval } };
  for (const [name, job, more] of [
    ["ship", gate("gate"), { params }],
    ["off", gate("gate"), { disabled: true }],
    ["held", held, { concurrency_limit: -1 }],
  ] as const)
    await calls.ok("POST", "/openapi/workflows/custom", {
      ...{ name, project: "shop", stages: [{ name: "one", jobs: [job] }], ...more },
    });
  const read = (id: string) => calls.ok<ShownPlan>("GET", `${path}/${id}`);
  return {
    ...{ ...calls, tasks, lee, read },
    make: async (more: object = {}) => (await calls.ok<{ id: string }>("POST", path, planBody(more))).id,
    replace: (id: string, more: object) => calls.ok("PATCH", `${path}/${id}`, planBody(more)),
    edit: (id: string, verb: string, spec: object) => calls.ok("PUT", `${path}/${id}`, { verb, spec }),
    /** Moves it by calls of its manager, one after the other. */
    move: async (id: string, ...statuses: string[]) => {
      for (const status of statuses) {
        const answer = await slipway.call("POST", `${path}/${id}/status/${status}`, { token: lee.token });
        expect(answer.status, `${status}: ${answer.text}`).toBe(200);
      }
      return read(id);
    },
  };
}

export type ReleasePlans = Awaited<ReturnType<typeof givenPlans>>;
