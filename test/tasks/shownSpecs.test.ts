import { afterAll, beforeAll, expect, test } from "vitest";
import type { Slipway } from "../harness/slipway.ts";
import { gate, makeWorkflow, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
});

afterAll(() => slipway.close());

const triggerOf = (task: ShownTask) => task.stages[1]?.jobs[0]?.spec;

test("a job shows values, stars for credentials, and nothing for what is not known before it runs", async () => {
  await makeWorkflow("shop", {
    name: "other",
    params: ["STATE", "KEY", "COLOUR"].map((name) => ({ name, type: "string", value: "" })),
    stages: [{ name: "one", jobs: [gate("open")] }],
  });
  const params = [
    { name: "STATE", value: "{{.job.ask.status}}" },
    { name: "KEY", value: "{{.workflow.params.KEY}}" },
    { name: "COLOUR", value: "{{.workflow.params.COLOUR}}" },
  ];
  const spec = {
    is_enable_check: true,
    trigger_type: "fixed",
    fixed_workflow_list: [{ workflow_name: "other", params }],
  };
  const native_approval = { needed_approvers: 1, approve_users: [{ type: "task_creator" }] };
  await makeWorkflow("shop", {
    name: "first",
    params: [
      { name: "KEY", type: "string", value: "s3cret-key", is_credential: true },
      { name: "COLOUR", type: "string", value: "blue" },
    ],
    stages: [
      { name: "one", jobs: [{ name: "ask", type: "approval", spec: { type: "native", native_approval } }] },
      { name: "two", jobs: [{ name: "others", type: "workflow-trigger", spec }] },
    ],
  });
  const id = await tasks.started("first", ["others"]);
  const waiting = await tasks.until(
    "first",
    id,
    "waiting",
    ({ stages }) => stages[0]?.jobs[0]?.status === "wait_for_approval",
  );
  expect(waiting.stages[0]?.jobs[0]?.spec).toMatchObject({ description: "", approval_message: "", approval_title: "" });
  const shown = (state: string) => [
    {
      workflow_name: "other",
      params: [
        { name: "STATE", value: state },
        { name: "KEY", value: "********" },
        { name: "COLOUR", value: "blue" },
      ],
    },
  ];
  expect(triggerOf(waiting)).toMatchObject({ ...spec, fixed_workflow_list: shown(""), workflow_trigger_events: [] });
  expect((await tasks.approve("first", id, "one", true)).status).toBe(200);
  const ended = await tasks.end("first", id);
  expect(ended.status).toBe("passed");
  expect(triggerOf(ended)).toMatchObject({
    fixed_workflow_list: shown("passed"),
    workflow_trigger_events: [
      {
        ...{ workflow_name: "other", workflow_display_name: "other", project_name: "shop", task_id: 1 },
        ...{ status: "passed", service_name: "", service_module: "" },
      },
    ],
  });
  expect(JSON.stringify([waiting, ended])).not.toContain("s3cret-key");
});
