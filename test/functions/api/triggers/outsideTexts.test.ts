import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { findWholeTask } from "../../../../shared/workflows/records/findTasks.ts";
import { findTaskOwner } from "../../../../shared/workflows/records/taskHeads.ts";
import type { Slipway } from "../../../harness/slipway.ts";
import { makeWorkflow, startShop, type tasksOf } from "../../../harness/tasks.ts";
import { waitFor } from "../../../harness/waitFor.ts";
import { signed } from "./signed.ts";
import { success, triggerCalls } from "./triggerCalls.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const secret = "the-secret-of-the-code-host";
const message = `it's "done" $(echo ran-1 >&2) \`echo ran-2 >&2\`; echo ran-3`;
const branch = `x;echo\${IFS}ran-4;$(echo\${IFS}ran-5)`;
let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let codehost_id: number;
const { call, settled, ring } = triggerCalls(() => slipway);

beforeAll(async () => {
  ({ slipway, tasks } = await startShop({ podDelayMilliseconds: 0 }));
  const host = { type: "github", address: "https://github.example.com", alias: "git", auth_type: "token" };
  const body = { ...host, access_token: "t", webhook_secret: secret };
  codehost_id = (await slipway.call<{ id: number }>("POST", "/api/aslan/system/codehosts", { body })).json.id;
});

afterAll(() => slipway?.close());

const freestyle = (name: string, script: string, more: object = {}) => ({
  ...{ name, type: "freestyle" },
  spec: { runtime: { infrastructure: "kubernetes", build_os: "ubuntu 20.04" }, script_type: "shell", script, ...more },
});
const shown = ["payload.trigger.commit_message", "workflow.params.told"];
const print = shown.map(
  (path) => `printf '%s\\n' "{{.${path}}}" '{{.${path}}}'; echo {{.${path}}} {{.payload.trigger.branch}}`,
);

async function logOf(workflow: string, taskId: number, job: string): Promise<string> {
  const { text } = await slipway.call("GET", `/openapi/logs/log/v4/workflow/${workflow}/${taskId}/${job}`);
  return text;
}

/** What a shell would have said that ran any of it. */
const ran = (log: string) => log.split("\n").filter((line) => /^ran-\d/.test(line) || line.includes("x ran"));

test("a commit's texts are no part of a script, be it of a job, a build, a plugin or a workflow that follows", async () => {
  const build = {
    ...{ name: "made", project_key: "shop", infrastructure: "kubernetes", build_os: "ubuntu 20.04", installs: [] },
    ...{ script_type: "shell", build_script: `echo {{.workflow.params.told}}; echo "{{.workflow.params.told}}"` },
    services: [{ service_name: "shop", service_module: "web" }],
  };
  expect((await slipway.call("POST", "/openapi/build?projectKey=shop", { body: build })).status).toBe(200);
  const param = { name: "told", type: "string", value: "" };
  await makeWorkflow("shop", {
    name: "follower",
    params: [param],
    stages: [
      { name: "one", jobs: [freestyle("say", `echo {{.workflow.params.told}}; echo "{{.workflow.params.told}}"`)] },
    ],
  });
  const work_flow = {
    workflow_name: "follower",
    project_name: "shop",
    params: [{ ...param, value: "{{.payload.trigger.commit_message}}" }],
  };
  const jobs = [
    freestyle("say", print.join("\n"), {
      envs: [{ key: "MINE", type: "string", value: "{{.payload.trigger.commit_message}}" }],
    }),
    freestyle("older", "", { steps: [{ step_type: "shell", spec: { scripts: print } }] }),
    freestyle("uses", 'echo {{.job.say.MINE}}; echo "{{.job.say.MINE}}"'),
    {
      name: "build",
      type: "zadig-build",
      spec: {
        source: "runtime",
        service_and_builds: [{ service_name: "shop", service_module: "web", build_name: "made" }],
      },
    },
    {
      ...{ name: "tool", type: "plugin" },
      spec: {
        plugin: {
          ...{ name: "p", image: "p:1", cmds: ["sh", "-c"], args: [`echo $(inputs.said); ${print[0]}`] },
          inputs: [{ name: "said", type: "string", value: "{{.payload.trigger.commit_message}}" }],
        },
      },
    },
    {
      name: "next",
      type: "workflow-trigger",
      spec: { is_enable_check: true, trigger_type: "common", source: "fixed", fixed_workflow_list: [work_flow] },
    },
  ];
  await makeWorkflow("shop", {
    name: "said",
    params: [param],
    stages: jobs.map((job) => ({ name: job.name, jobs: [job] })),
  });
  const main_repo = { codehost_id, repo_namespace: "team", repo_name: "web", events: ["push"] };
  const workflow_arg = { parameters: [{ name: "told", value: "{{.payload.trigger.commit_message}}" }] };
  expect((await call("POST", "/webhook/said", { body: { name: "git", main_repo, workflow_arg } })).json).toEqual(
    success,
  );

  const pushed = {
    repository: { full_name: "team/web", html_url: "https://github.example.com/team/web" },
    ...{ ref: `refs/heads/${branch}`, after: "c0ffee".padEnd(40, "0"), pusher: { name: "ada" } },
    commits: [{ message, added: [], modified: ["a"], removed: [] }],
  };
  const body = JSON.stringify(pushed);
  const headers = signed("github", body, "push", "call-1", secret);
  await slipway.call("POST", "/api/aslan/webhook", { token: null, body, headers });
  expect(await settled("said")).toMatchObject([{ status: "started" }]);
  const task = await tasks.end("said", 1, 60);
  expect(
    task.stages.flatMap((stage) => stage.jobs).map(({ origin_name, status, error }) => [origin_name, status, error]),
  ).toEqual(jobs.map(({ name }) => [name, "passed", ""]));
  for (const job of ["say", "older", "uses", "build", "tool"]) {
    const log = await logOf("said", 1, job);
    expect([job, ran(log)]).toEqual([job, []]);
    expect(log).toContain(message);
  }
  for (const job of ["say", "older"])
    expect((await logOf("said", 1, job)).split("\n").filter((line) => line === message)).toHaveLength(4);
  expect(await logOf("said", 1, "say")).toContain(branch);
  await waitFor("the follower", async () => (await tasks.read("follower", 1)).status === "passed");
  const followed = await logOf("follower", 1, "say");
  expect(ran(followed)).toEqual([]);
  expect(followed).toContain(message);
});

test("what a call from anywhere says is no part of the script before a scan, also when the task is retried", async () => {
  const ok = async (path: string, body: object) => {
    const { status, text } = await slipway.call("POST", path, { body });
    expect([path, status, text]).toEqual([path, 200, expect.anything()]);
  };
  const server = { system_identity: "sonar", server_address: "https://sonar.example.com", token: "t" };
  await ok("/api/aslan/system/sonar/integration", server);
  const written = 'echo "{{.workflow.params.told}}"';
  await ok("/openapi/quality/codescan?projectKey=shop", {
    ...{ name: "scanned", project_key: "shop", scanner_type: "sonarQube", image_name: "ubuntu 20.04", repo_info: [] },
    ...{ sonar_system: "sonar", sonar_parameter: "", prelaunch_script: written, script: "" },
  });
  const scan = { name: "scan", type: "zadig-scanning", spec: { scannings: [{ name: "scanned" }] } };
  await makeWorkflow("shop", {
    name: "scans",
    params: [{ name: "told", type: "string", value: "" }],
    stages: [{ name: "one", jobs: [scan] }],
  });
  const workflow_arg = { parameters: [{ name: "told", value: "{{.payload.said}}" }] };
  const hook = { name: "ci", secret: "a-long-secret", workflow_arg };
  expect((await call("POST", "/generalhook/scans", { body: hook })).json).toEqual(success);
  await ring("scans", "ci", hook.secret, { said: message });
  expect(await settled("scans")).toMatchObject([{ status: "started" }]);
  await tasks.end("scans", 1, 60);
  const prelaunch = async () => {
    const whole = await findWholeTask((await findTaskOwner("scans"))?.id ?? "", 1);
    const run = whole?.plan.stages[0]?.jobs[0]?.run as {
      prelaunchScript: string;
      variables: { name: string; value: string }[];
    };
    const [, name = ""] = /^echo "\$\{(SLIPWAY_TEXT_\w+)\}"$/.exec(run.prelaunchScript) ?? [run.prelaunchScript];
    return run.variables.find((one) => one.name === name)?.value;
  };
  expect(await prelaunch()).toBe(message);
  expect((await tasks.retry("scans", 1)).status).toBe(200);
  await tasks.end("scans", 1, 60);
  expect(await prelaunch()).toBe(message);
});
