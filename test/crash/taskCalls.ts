import type { Caller } from "../harness/boutique.ts";
import type { Answer } from "../harness/slipway.ts";
import type { ShownTask } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";
import { succeed } from "./scenario.ts";

/** The workflow of every scenario. */
export const flow = "flow";

export interface Decider {
  uid: string;
  token: string;
}

interface Approver {
  user_id: string;
  reject_or_approve: string;
}

/** Somebody who may approve: nothing but an account is needed. */
export async function makeDecider(slipway: Caller, account: string): Promise<Decider> {
  const password = "Passw0rd-1";
  await succeed(slipway.call("POST", "/api/v1/users", { body: { name: account, account, password } }));
  return (await slipway.call<Decider>("POST", "/api/v1/login", { token: null, body: { account, password } })).json;
}

/** Where a watcher was killed nobody takes its place before its lease has ended, and the reconciler looks once a minute. */
export function patiently<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  return waitFor(what, look, 100);
}

/** Calls about tasks of a workflow, through whichever program answers now. */
export function taskCalls(slipway: Caller, project = "shop", own = flow) {
  const place = (taskId: number, workflow = own) =>
    `/openapi/workflows/custom/task?workflowKey=${workflow}&taskId=${taskId}`;
  const read = async (taskId: number, workflow = own) =>
    (await slipway.call<ShownTask>("GET", place(taskId, workflow))).json;
  return {
    read,
    start: (...jobs: string[]): Promise<Answer> => {
      const inputs = jobs.map((job_name) => ({ job_name, parameters: {} }));
      const body = { workflow_key: own, project_key: project, inputs };
      return slipway.call("POST", "/openapi/workflows/custom/task", { body });
    },
    count: async (): Promise<number> => {
      const path = `/openapi/workflows/custom/${own}/tasks?projectKey=${project}`;
      return (await slipway.call<{ total: number }>("GET", path)).json.total;
    },
    cancel: (taskId: number): Promise<Answer> => slipway.call("DELETE", place(taskId)),
    retry: (taskId: number): Promise<Answer> =>
      slipway.call("POST", `/openapi/workflows/custom/${own}/task/${taskId}?projectKey=${project}`),
    /** Holds a step of a rollout, lets it go on, or takes the rollout back. */
    control: (task_id: number, job_name: string, action: "pause" | "promote" | "abort"): Promise<Answer> => {
      const body = { workflow_key: own, task_id, job_name, action };
      return slipway.call("POST", "/openapi/workflows/custom/task/rollout", { body });
    },
    approve: (taskId: number, stage_name: string, { token }: Decider): Promise<Answer> => {
      const body = { workflow_key: own, task_id: taskId, stage_name, approve: true };
      return slipway.call("POST", "/openapi/workflows/custom/task/approve", { token, body });
    },
    /** Whether somebody's decision is still missing in the first job. */
    mayDecide: async (taskId: number, uid: string): Promise<"yes" | "no" | "not yet"> => {
      const job = (await read(taskId)).stages[0]?.jobs[0];
      if (job?.status !== "wait_for_approval") return job?.status === "passed" ? "no" : "not yet";
      const { approve_users } = job.spec.native_approval as { approve_users: Approver[] };
      const own = approve_users.find(({ user_id }) => user_id === uid);
      return own?.reject_or_approve === "" ? "yes" : "no";
    },
    until: (what: string, taskId: number, seen: (task: ShownTask) => boolean): Promise<ShownTask> =>
      patiently(what, async () => {
        const task = await read(taskId);
        return seen(task) && task;
      }),
    mustHavePassed: async (workflow: string, taskId: number): Promise<void> => {
      const task = await read(taskId, workflow);
      if (task.status !== "passed") throw new Error(JSON.stringify(task));
    },
  };
}
