import type { Caller } from "../harness/boutique.ts";
import { passing } from "../harness/passingApprovals.ts";
import { prepareEnvironment } from "./environmentScenarios.ts";
import type { Outside } from "./outside.ts";
import { type Scenario, succeed } from "./scenario.ts";
import { type Decider, flow, makeDecider, patiently, taskCalls } from "./taskCalls.ts";

const shellJob = (name: string, script: string, outputs: readonly string[] = []) => ({
  ...{ name, type: "freestyle" },
  spec: {
    ...{ script, script_type: "shell", runtime: { infrastructure: "kubernetes", build_os: "ubuntu 20.04" } },
    advanced_setting: { outputs: outputs.map((output) => ({ name: output })) },
  },
});
const passingGate = (name: string) => ({ ...{ name, type: "approval" }, spec: passing });
const approval = (name: string, needed_approvers: number, deciders: readonly Decider[]) => ({
  ...{ name, type: "approval" },
  spec: {
    type: "native",
    native_approval: { needed_approvers, approve_users: deciders.map(({ uid }) => ({ user_id: uid })) },
  },
});
const trigger = (name: string, workflow_name: string) => ({
  ...{ name, type: "workflow-trigger" },
  spec: { is_enable_check: true, trigger_type: "fixed", fixed_workflow_list: [{ workflow_name }] },
});
const hook = ({ url }: Outside, path: string, event: string) => ({
  ...{ enabled: true, webhook_type: "webhook", notify_type: [event] },
  webhook_notification_config: { address: `${url}/${path}` },
});

async function makeProject(slipway: Caller): Promise<void> {
  const body = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
  await succeed(slipway.call("POST", "/openapi/projects/project", { body }));
}

function makeWorkflow(slipway: Caller, name: string, stages: readonly object[], more: object = {}): Promise<void> {
  const body = { name, project: "shop", stages, ...more };
  return succeed(slipway.call("POST", "/openapi/workflows/custom", { body }));
}

/** One workflow that starts another one and waits for it, with stages of both kinds and scripts that run. */
const containersAndTrigger: Scenario = {
  name: "task of a workflow",
  prepare: async (slipway, outside) => {
    await makeProject(slipway);
    const writing = shellJob("write", `${outside.note("write")}; WORD=hello`, ["WORD"]);
    const reading = shellJob("read", `${outside.note("read")}; test "{{.job.write.output.WORD}}" = hello`);
    await makeWorkflow(slipway, "other", [{ name: "only", jobs: [shellJob("script", outside.note("other"))] }]);
    await makeWorkflow(slipway, flow, [
      { name: "gates", parallel: true, jobs: [passingGate("left"), passingGate("right")] },
      { name: "scripts", jobs: [writing, reading] },
      { name: "others", jobs: [trigger("others", "other")] },
    ]);
  },
  request: (slipway) => taskCalls(slipway).start("write", "read", "others"),
  check: async (slipway) => {
    for (const workflow of [flow, "other"]) await taskCalls(slipway).mustHavePassed(workflow, 1);
  },
};

/** Two people approve, a service is deployed, and everybody who asked for it is told. */
function approvalAndDeployment(): Scenario {
  let deciders: Decider[] = [];
  return {
    name: "approval, deployment and messages",
    prepare: async (slipway, outside) => {
      await prepareEnvironment(slipway);
      deciders = [await makeDecider(slipway, "ann"), await makeDecider(slipway, "ben")];
      const asking = { ...approval("ask", 2, deciders), notify_ctls: [hook(outside, "approved", "passed")] };
      const service = { service_name: "web", modules: [{ service_module: "main", image: "web:2" }] };
      const shipping = { name: "ship", type: "zadig-deploy", spec: { env: "dev", services: [service] } };
      const chat = { hook_address: `${outside.url}/chat` };
      const telling = {
        ...{ name: "tell", type: "notification" },
        spec: { webhook_type: "dingding", title: "Hello", content: "there", dingding_notification_config: chat },
      };
      const told = ["created", "wait_for_approval", "passed"].map((event) => hook(outside, event, event));
      await makeWorkflow(
        slipway,
        flow,
        [
          { name: "ask", jobs: [asking] },
          { name: "ship", jobs: [shipping] },
          { name: "tell", jobs: [telling] },
        ],
        { notify_ctls: told },
      );
    },
    request: (slipway) => taskCalls(slipway).start("ask", "ship", "tell"),
    goOn: async (slipway) => {
      const tasks = taskCalls(slipway);
      if ((await tasks.count()) === 0) return;
      const mine =
        ({ uid }: Decider) =>
        async () =>
          (await tasks.mayDecide(1, uid)) !== "not yet";
      for (const decider of deciders) {
        await patiently("the approval to be open", mine(decider));
        if ((await tasks.mayDecide(1, decider.uid)) === "yes") await succeed(tasks.approve(1, "ask", decider));
      }
      await tasks.until("the end", 1, ({ status, end_time }) => status === "passed" && end_time !== undefined);
    },
    check: (slipway) => taskCalls(slipway).mustHavePassed(flow, 1),
  };
}

/**
 * Of a workflow that runs one task at a time the first one fails at what is missing. The second one is cancelled in the
 * middle of a script, while the first one waits to be tried again; then that passes, and keeps what it had done.
 */
const failureRetryAndCancel: Scenario = {
  name: "failure, retry and cancel behind a limit of 1",
  prepare: async (slipway, outside) => {
    await makeProject(slipway);
    const script = `${outside.note("$TASK_ID")}; test $TASK_ID = 1 || sleep 3600`;
    const stages = [
      { name: "scripts", jobs: [shellJob("script", script)] },
      { name: "others", jobs: [trigger("others", "missing")] },
    ];
    await makeWorkflow(slipway, flow, stages, { concurrency_limit: 1 });
  },
  request: (slipway) => taskCalls(slipway).start("script", "others"),
  goOn: async (slipway, outside) => {
    const tasks = taskCalls(slipway);
    if ((await tasks.count()) === 0) return;
    if ((await tasks.count()) === 1) {
      await tasks.until("the first failure", 1, ({ status }) => status === "failed");
      await succeed(tasks.start("script", "others"));
    }
    if ((await tasks.read(2)).status !== "cancelled") {
      await patiently("the second script", async () => outside.effects().scripts.includes("2"));
      if ((await slipway.call("GET", "/openapi/workflows/custom/missing/detail?projectKey=shop")).status !== 200)
        await makeWorkflow(slipway, "missing", [{ name: "only", jobs: [passingGate("gate")] }]);
      if ((await tasks.read(1)).status === "failed") await succeed(tasks.retry(1));
      if ((await tasks.read(1)).status !== "waiting") throw new Error("two tasks run at a time");
      await succeed(tasks.cancel(2));
    }
    await tasks.until("the end of the second", 2, ({ end_time }) => end_time !== undefined);
    await tasks.until("the end of the first", 1, ({ status }) => status === "passed");
  },
  check: async (slipway) => {
    await taskCalls(slipway).mustHavePassed(flow, 1);
    await taskCalls(slipway).mustHavePassed("missing", 1);
  },
};

/** Tasks of workflows: both state machines, the watcher of the cluster, the queue, messages, and what people do. */
export const taskScenarios: readonly Scenario[] = [
  containersAndTrigger,
  approvalAndDeployment(),
  failureRetryAndCancel,
];
