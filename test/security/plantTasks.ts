import { expect } from "vitest";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { waitFor } from "../harness/waitFor.ts";
import type { Canaries } from "./canaries.ts";
import type { Doors } from "./plantIntegrations.ts";

interface Shown {
  status: string;
  end_time?: number;
  stages: { jobs: { name: string; status: string; error: string }[] }[];
}

export const plantedTasks = ["POST /api/directory/workflowTask/create callback_secret"];

const key = "secret-run";
const tasks = "/openapi/workflows/custom/task";
const namespace = "slipway-jobs-shop";

/**
 * Credentials in start calls of a workflow, after `plantBuilds`: jobs use and print them, refused calls name them.
 * @returns the Jobs and pods of the plugin's job as the cluster showed them while it ran
 */
export async function plantTasks(doors: Doors, project: string, client: ClusterClient): Promise<string> {
  const { canaries, ok } = doors;
  await ok("POST", "/openapi/workflows/custom", definition(project, canaries));
  const { task_id } = await ok<{ task_id: number }>("POST", tasks, start(project, canaries, "a task"));
  const shown = `${tasks}?workflowKey=${key}&taskId=${task_id}`;
  const objects = await waitFor("the plugin's pod", () => podsAndJobs(client), 60);
  const ended = await waitFor(
    "the task to be over",
    async () => {
      const task = await ok<Shown>("GET", shown);
      return task.end_time !== undefined && task;
    },
    90,
  );
  const jobs = ended.stages.flatMap((stage) => stage.jobs);
  const plugin = jobs.find(({ name }) => name.endsWith("-plugin"));
  expect(plugin, JSON.stringify(jobs)).toMatchObject({ status: "passed", error: "" });
  await ok("GET", `/openapi/workflows/custom/${key}/tasks?projectKey=${project}`);
  for (const { name } of jobs) await ok("GET", `/openapi/logs/log/v4/workflow/${key}/${task_id}/${name}`);
  await refuse(doors, project);
  return objects;
}

async function podsAndJobs(client: ClusterClient): Promise<string | false> {
  const jobs = await client.list({ apiVersion: "batch/v1", kind: "Job" }, { namespace });
  const pods = await client.list({ apiVersion: "v1", kind: "Pod" }, { namespace });
  const [ofJobs, ofPods] = [JSON.stringify(jobs), JSON.stringify(pods)];
  return [ofJobs, ofPods].every((text) => text.includes('"printer:1"')) && ofJobs + ofPods;
}

/** Jobs of every kind that takes credentials; the plugin's lasts long enough to be looked at. */
function definition(project: string, canaries: Canaries): object {
  const runtime = { infrastructure: "kubernetes", build_os: "ubuntu 20.04" };
  const envs = [
    { key: "SPECIAL", type: "string", value: canaries.plant("a configured variable"), is_credential: true },
  ];
  const script = "echo $SPECIAL {{.workflow.params.login}}";
  const plugin = {
    ...{ name: "printer", image: "printer:1", cmds: ["sh", "-c"] },
    args: ["echo $(inputs.special) {{.workflow.params.login}} $0; sleep 3", "$(inputs.special)"],
    envs: [{ name: "LONG", value: "with $(inputs.special) inside" }],
    inputs: [{ name: "special", type: "string", value: canaries.plant("a configured input"), is_credential: true }],
  };
  const modules = [{ name: "planted", project_name: project }];
  const jobs = [
    { name: "script", type: "freestyle", spec: { runtime, script_type: "shell", script, envs } },
    { name: "plugin", type: "plugin", spec: { plugin } },
    { name: "test", type: "zadig-test", spec: { test_modules: modules } },
    { name: "scan", type: "zadig-scanning", spec: { scannings: modules } },
  ];
  const params = [
    { name: "login", type: "string", value: "", is_credential: true },
    { name: "place", type: "choice", value: "a", choice_option: ["a"], is_credential: true },
  ];
  return { name: key, project, params, stages: [{ name: "all", parallel: true, jobs }] };
}

/** A start call whose every value is a secret; none of the names beside them says so. */
function start(project: string, canaries: Canaries, of: string) {
  const value = (what: string) => ({ value: canaries.plant(`${what} of ${of}`) });
  return {
    ...{ workflow_key: key, project_key: project },
    parameters: [{ name: "login", type: "string", ...value("a parameter") }],
    inputs: [
      { job_name: "script", parameters: { kv: [{ key: "SPECIAL", ...value("a variable") }] } },
      { job_name: "plugin", parameters: { kv: [{ key: "special", ...value("an input") }] } },
      ...["testing", "scanning"].map((kind) => ({
        job_name: kind === "testing" ? "test" : "scan",
        parameters: {
          [`${kind}_list`]: [{ [`${kind}_name`]: "planted", inputs: [{ key: "SPECIAL", ...value(kind) }] }],
        },
      })),
    ],
  };
}

async function refuse({ canaries, refused }: Doors, project: string): Promise<void> {
  const secret = (what: string) => canaries.plant(`${what} of a refused start`);
  const call = (of: string) => start(project, canaries, of);
  await refused("POST", tasks, { ...call("an unknown workflow"), workflow_key: "absent" });
  await refused("POST", tasks, { ...call("no workflow"), workflow_key: undefined });
  await refused("POST", tasks, {
    ...call("an unknown parameter"),
    parameters: [{ name: "none", value: secret("it") }],
  });
  await refused("POST", tasks, {
    ...call("a wrong choice"),
    parameters: [{ name: "place", value: secret("a choice") }],
  });
  await refused("POST", tasks, { ...call("inputs as a text"), inputs: secret("a text") });
  await refused("POST", tasks, { ...call("parameters as an object"), parameters: { login: secret("a field") } });
  const kv = { SPECIAL: secret("variables as an object") };
  await refused("POST", tasks, { ...call("wrong variables"), inputs: [{ job_name: "script", parameters: { kv } }] });
}

/** Keys of callbacks, in tasks that the older API starts in the environment `dev`; nobody listens where they call. */
export async function plantOlderTasks({ canaries, ok, refused }: Doors, project: string): Promise<void> {
  const inProject = `projectKey=${project}`;
  const yaml = deploymentYaml("old", "example.com/old:1");
  await ok("POST", `/openapi/service/yaml/raw?${inProject}`, { service_name: "old", yaml });
  const added = { env_key: "dev", service_list: [{ service_name: "old" }] };
  await ok("POST", `/openapi/environments/service/yaml?${inProject}`, added);
  await waitFor("the service to run", async () => {
    const { status } = await ok<{ status: string }>("GET", `/openapi/environments/dev?${inProject}`);
    return status === "running";
  });
  const put = { name: "put", type: "zadig-deploy", spec: { env: "dev", source: "runtime" } };
  await ok("POST", "/openapi/workflows/custom", { name: "older", project, stages: [{ name: "put", jobs: [put] }] });
  const create = "/api/directory/workflowTask/create";
  const body = (of: string, callback_url = encodeURIComponent("http://127.0.0.1:9/done")) => ({
    ...{ workflow_name: "older", env_name: "dev" },
    release_images: [{ image: "example.com/old:2", service_name: "old", service_module: "main" }],
    callback: { callback_url, callback_secret: canaries.plant(`the key of the callback of ${of}`) },
  });
  const { task_id } = await ok<{ task_id: number }>("POST", create, body("a task"));
  const shown = `/api/directory/workflowTask/id/${task_id}/pipelines/older`;
  await waitFor("the task to be over", async () => (await ok<{ status: string }>("GET", shown)).status === "passed");
  await ok("GET", `/api/aslan/workflow/v4/deliveries?${inProject}&workflowKey=older&taskId=${task_id}`);
  await refused("POST", create, { ...body("a task of no workflow"), workflow_name: "absent" });
  await refused("POST", create, body("a task that calls a file", "file:///etc/passwd"));
}
