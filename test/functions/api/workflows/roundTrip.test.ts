import fc from "fast-check";
import { dump } from "js-yaml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mapCredentials, showCredentials } from "../../../../shared/workflows/definition/credentials.ts";
import { workflowDefinition } from "../../../../shared/workflows/definition/definition.ts";
import { optionNeeds, withOptions, withRunPolicies } from "../../../../shared/workflows/definition/jobOptions.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { arbitraryDefinition, withoutCredentials } from "./arbitraryDefinition.ts";
import { expectSuccess, type Tree, workflowCalls } from "./workflowCalls.ts";

let slipway: Slipway;
const calls = workflowCalls(() => slipway);

beforeAll(async () => {
  slipway = await startSlipway();
  await calls.project("demo");
});

afterAll(() => slipway.close());

/** What was sent is in the answer, whatever else the answer holds; lists are compared whole. */
function expectHolds(answer: Tree, sent: Tree): void {
  const picked = Object.fromEntries(Object.keys(sent).map((key) => [key, answer[key]]));
  expect(picked).toEqual(sent);
}

function expectEachHolds(answers: unknown, sent: unknown): void {
  expect(answers).toHaveLength((sent as Tree[]).length);
  for (const [at, one] of (sent as Tree[]).entries()) expectHolds((answers as Tree[])[at] ?? {}, one);
}

describe("a definition with fields and types of jobs that nobody knows", () => {
  test("survives what is done to it between the wire and the store, 1,000 times", () => {
    fc.assert(
      fc.property(arbitraryDefinition, (sent) => {
        expect(workflowDefinition.safeParse(sent).success).toBe(true);
        const stored = JSON.parse(JSON.stringify(mapCredentials(sent, () => "********"))) as Tree;
        const nothing = { builds: false, tests: [], scans: [], environments: false, servicesOf: [] };
        expect(optionNeeds(stored, "demo")).toEqual(nothing);
        const none = { projectKey: "demo", builds: [], tests: [], scans: [], environments: [] };
        const shown = showCredentials(withRunPolicies(withOptions(stored, none)));
        expect(withoutCredentials(shown)).toEqual(withoutCredentials(sent));
      }),
      { numRuns: 1000 },
    );
  });

  test("survives creation, reading, updating and reading again, as JSON and as YAML", async () => {
    const definitions = fc.sample(arbitraryDefinition, { numRuns: 25, seed: 32 });
    for (const [at, sample] of definitions.entries()) {
      const name = `round-${at}`;
      const sent = withoutCredentials({ ...sample, name, display_name: name, project: "demo" });
      const body = at % 2 === 0 ? JSON.stringify(sent) : dump(sent, { noRefs: true });
      expectSuccess(await calls.create(body));
      const { name: _, display_name, project, ...rest } = sent;
      const checkDetail = async () => {
        const detail = (await calls.detail(name)).json;
        expectHolds(detail, { ...rest, stages: detail.stages, params: detail.params });
        expectEachHolds(detail.params, rest.params);
        const stages = detail.stages as Tree[];
        for (const [position, stage] of (rest.stages as Tree[]).entries()) {
          expectHolds(stages[position] ?? {}, { ...stage, jobs: stages[position]?.jobs });
          expectEachHolds(stages[position]?.jobs, stage.jobs);
        }
      };
      const first = (await calls.named(name)).json;
      expectHolds(first, sent);
      await checkDetail();
      expectSuccess(await calls.update(name, first));
      expectHolds((await calls.named(name)).json, sent);
      await checkDetail();
    }
  });

  test("is the same when its detail is posted back, with what was shown of it", async () => {
    const approve_users = [{ type: "task_creator" }];
    const native_approval = { needed_approvers: 1, approve_users };
    const script = { script: "echo {{.workflow.params.version}} {{.State.Status}}\n", script_type: "shell" };
    const sent = {
      ...{ name: "posted", display_name: "Posted back", project: "demo", concurrency_limit: 2, category: "release" },
      params: [
        { name: "version", type: "choice", choice_option: ["1", "2"], value: "1" },
        { name: "secret", type: "string", value: "hidden", is_credential: true },
      ],
      stages: [
        {
          ...{ name: "one", parallel: true, approval: { enabled: true, type: "native", native_approval } },
          manual_exec: { enabled: true, manual_exec_users: approve_users },
          jobs: [
            { name: "say", type: "freestyle", spec: script, error_policy: { policy: "retry", maximum_retry: 2 } },
            { name: "ask", type: "approval", spec: { type: "native", native_approval } },
            { name: "made", type: "zadig-build", spec: { docker_registry_id: "", service_and_builds: [] } },
            { name: "put", type: "zadig-deploy", spec: { env: "dev", services: [] }, run_policy: "force_run" },
            { name: "odd", type: "vendor-check", spec: { nested: [{ a: null }] } },
          ],
        },
      ],
      notify_ctls: [{ enabled: true, webhook_type: "mail", notify_type: ["failed"], mail_users: [] }],
    };
    expectSuccess(await calls.create(sent));
    const { update_time: _, ...before } = (await calls.detail("posted")).json;
    const { workflow_key: name, workflow_name: display_name, project_key: project, ...rest } = before;
    for (const body of [{ ...rest, name, display_name, project }, (await calls.named("posted")).json]) {
      expectSuccess(await calls.update("posted", body));
      const { update_time: __, ...after } = (await calls.detail("posted")).json;
      expect(after).toEqual(before);
    }
  });

  test("keeps keys that JavaScript has plans for", async () => {
    const odd = `{"__proto__": {"a": 1}, "constructor": 2, "toString": null}`;
    const body = `{"name": "odd", "project": "demo", "stages": [{"name": "s", "jobs": [{"name": "j", "type": "x", "spec": ${odd}}]}], "x": ${odd}, "__proto__": 5}`;
    expectSuccess(await calls.create(body));
    for (const { text } of [await calls.named("odd"), await calls.detail("odd")]) {
      expect(text.match(/"__proto__":\{"a":1\}/g)).toHaveLength(2);
      expect(text).toContain('"__proto__":5');
    }
  });
});
