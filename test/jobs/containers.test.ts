import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { keys } from "../../shared/base/store/keys/keys.ts";
import { leaseLasts } from "../../shared/base/store/leases.ts";
import { table } from "../../shared/base/store/table.ts";
import { localClusterId } from "../../shared/kube/clusters/store/clusters.ts";
import type { Slipway } from "../harness/slipway.ts";
import { makeWorkflow, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

const freestyle = (name: string, script: string, spec: object = {}) => ({
  ...{ name, type: "freestyle" },
  spec: { runtime: { infrastructure: "kubernetes", build_os: "ubuntu 20.04" }, script_type: "shell", script, ...spec },
});
const leaving = (...names: string[]) => ({ advanced_setting: { outputs: names.map((name) => ({ name })) } });
const stage = (name: string, ...jobs: object[]) => ({ name, jobs });
const jobsOf = ({ stages }: ShownTask) => stages.flatMap(({ jobs }) => jobs);

async function logOf(workflow: string, taskId: number, job: string): Promise<string> {
  const { status, text } = await slipway.call("GET", `/openapi/logs/log/v4/workflow/${workflow}/${taskId}/${job}`);
  expect(status).toBe(200);
  return text;
}

/** Whether a process with that argument runs on this machine. */
function isRunning(argument: string): boolean {
  return readdirSync("/proc").some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(argument);
    } catch {
      return false;
    }
  });
}

beforeAll(async () => {
  ({ slipway, tasks } = await startShop({ podDelayMilliseconds: 0 }));
});

afterAll(() => slipway?.close());

test("the containers of a task are watched by one watcher, which ends when nothing waits any more", async () => {
  const jobs = ["first", "second", "third"].map((name) => freestyle(name, "true"));
  await makeWorkflow("shop", { name: "watched", stages: [{ ...stage("one", ...jobs), parallel: false }] });
  const lease = `watcher#${localClusterId}`;
  const holder = async () => (await table().get<{ holder: string }>(keys.lease(lease)))?.holder;
  const idle = () => waitFor("no watcher to run", async () => (await leaseLasts(lease)) <= 0);
  await idle();
  const holders = new Set<string | undefined>();
  const id = await tasks.started("watched", ["first", "second", "third"]);
  const task = await tasks.until("watched", id, "over", ({ status }) => {
    void leaseLasts(lease).then(async (seconds) => seconds > 0 && holders.add(await holder()));
    return status === "passed";
  });
  expect(jobsOf(task).map(({ status }) => status)).toEqual(["passed", "passed", "passed"]);
  expect(holders.size).toBe(1);
  await idle();
});

describe("a freestyle job", () => {
  test("runs its script with its variables, and later jobs use what it leaves", async () => {
    const first = freestyle("first", 'echo "$WORKFLOW $TASK_ID $GREETING $CI"; VERSION=1.2.$TASK_ID', {
      ...leaving("VERSION"),
      envs: [{ key: "GREETING", value: "hello {{.project}}", type: "string" }],
    });
    const second = freestyle("second", 'echo "uses {{.job.first.output.VERSION}} after {{.job.first.status}}"');
    await makeWorkflow("shop", { name: "outputs", stages: [stage("one", first), stage("two", second)] });
    const id = await tasks.started("outputs", ["first", "second"]);
    const task = await tasks.end("outputs", id);
    expect(jobsOf(task).map(({ error, status }) => [error, status])).toEqual([
      ["", "passed"],
      ["", "passed"],
    ]);
    expect(await logOf("outputs", id, "job-0-0-0-first")).toContain("outputs 1 hello shop true\n");
    expect(await logOf("outputs", id, "second")).toContain("uses 1.2.1 after passed\n");
    expect(jobsOf(task)[0]?.spec).toMatchObject({
      ...{ repos: [], image: "", package: "", service_name: "", service_module: "" },
      envs: [{ key: "GREETING", value: "hello shop" }],
    });
  });

  test("that fails says with which exit code, keeps its log, and a retry keeps what passed with its outputs", async () => {
    const first = freestyle("first", "echo once; ID=$(date +%s%N)", leaving("ID"));
    const second = freestyle("second", 'echo "with {{.job.first.output.ID}}"; exit 3');
    await makeWorkflow("shop", { name: "failing", stages: [stage("one", first), stage("two", second)] });
    const id = await tasks.started("failing", ["first", "second"]);
    const task = await tasks.end("failing", id);
    expect(task.status).toBe("failed");
    expect(jobsOf(task)[1]).toMatchObject({ status: "failed", error: "step script ended with exit code 3" });
    const before = await logOf("failing", id, "second");
    expect(before).toMatch(/with \d+/);
    expect((await tasks.retry("failing", id)).status).toBe(200);
    await tasks.until("failing", id, "running again", ({ status }) => status !== "failed");
    const again = await tasks.end("failing", id);
    expect(jobsOf(again)[0]).toMatchObject({ status: "passed", start_time: jobsOf(task)[0]?.start_time });
    expect(await logOf("failing", id, "second")).toBe(before);
  });

  test("is stopped by a cancel, with its process, and its log is kept as far as it came", async () => {
    const marker = `7${Date.now()}`;
    const job = freestyle("long", `echo begun; sleep ${marker}`);
    await makeWorkflow("shop", { name: "long", stages: [stage("one", job)] });
    const id = await tasks.started("long", ["long"]);
    await waitFor("the script to run", async () => isRunning(marker));
    expect((await tasks.cancel("long", id)).status).toBe(200);
    const task = await tasks.end("long", id);
    expect(jobsOf(task)[0]?.status).toBe("cancelled");
    await waitFor("the process to be gone", async () => !isRunning(marker));
    expect(await logOf("long", id, "long")).toContain("begun\n");
  });

  test("runs once for each chosen service module, with its own variables", async () => {
    const services = ["web", "api"].map((name) => ({
      ...{ service_name: "shop", service_module: name, repos: [] },
      key_vals: [{ key: "WHO", value: "nobody", type: "string" }],
    }));
    const job = freestyle("each", 'echo "$SERVICE_NAME/$SERVICE_MODULE is for $WHO"; TAG=$SERVICE_MODULE-1', {
      ...{ freestyle_type: "service_freestyle", source: "runtime", services },
      ...leaving("TAG"),
    });
    const after = freestyle("after", "echo got {{.job.each.shop.api.output.TAG}}");
    await makeWorkflow("shop", { name: "services", stages: [stage("one", job), stage("two", after)] });
    const inputs = [{ service_name: "shop", service_module: "api", inputs: [{ key: "WHO", value: "us" }] }];
    const id = await tasks.started("services", [], {
      inputs: [
        { job_name: "each", parameters: { services: inputs } },
        { job_name: "after", parameters: {} },
      ],
    });
    const task = await tasks.end("services", id);
    expect(task.status).toBe("passed");
    expect(jobsOf(task).map(({ name }) => name)).toEqual(["job-0-0-0-each", "job-1-0-0-after"]);
    expect(await logOf("services", id, "each.shop.api")).toContain("shop/api is for us\n");
    expect(await logOf("services", id, "after")).toContain("got api-1\n");
  });

  test("sees parameters of every type, and credentials stay masked in both logs", async () => {
    const params = [
      { name: "COLOUR", type: "choice", choice_option: ["red", "blue"], value: "red" },
      { name: "REGIONS", type: "multi-select", choice_option: ["eu", "us", "cn"], value: "" },
      { name: "TOKEN", type: "string", value: "", is_credential: true },
    ];
    const job = freestyle(
      "uses",
      'echo "$COLOUR in $REGIONS with $TOKEN"; echo "{{.workflow.params.TOKEN}}" | base64; sleep 3',
      {
        envs: [{ key: "OWN", value: "{{.workflow.params.TOKEN}}", type: "string", is_credential: true }],
      },
    );
    await makeWorkflow("shop", { name: "params", params, stages: [stage("one", job)] });
    const id = await tasks.started("params", ["uses"], {
      parameters: [
        { name: "COLOUR", type: "choice", value: "blue" },
        { name: "REGIONS", type: "multi-select", value: "eu,us" },
        { name: "TOKEN", type: "string", value: "s3cret-token" },
      ],
    });
    const stream = `/openapi/logs/sse/v4/workflow/params/${id}/job-0-0-0-uses/50`;
    const live = await slipway.call("GET", stream);
    expect(live.headers.get("content-type")).toBe("text/event-stream");
    const task = await tasks.end("params", id);
    expect(task.status).toBe("passed");
    const stored = await logOf("params", id, "job-0-0-0-uses");
    for (const text of [live.text, stored]) {
      expect(text).toContain("blue in eu,us with ******");
      expect(text).not.toContain("s3cret-token");
    }
    // Whoever was cut off while it ran goes on in the stored log behind the last line that was seen.
    const events = live.text.match(/^id:.*\nevent:.*\ndata:.*\n\n/gm) ?? [];
    expect([events.length, events.join("")]).toEqual([2, live.text.replace(/^:\n\n/gm, "")]);
    for (const [at, event] of events.entries()) {
      const [, id_ = ""] = /^id:(.*)$/m.exec(event) ?? [];
      const rest = await slipway.call("GET", stream, { headers: { "last-event-id": id_ } });
      expect([rest.status, rest.text]).toEqual([200, events.slice(at + 1).join("")]);
    }
    expect(JSON.stringify(task)).not.toContain("s3cret-token");
    expect(jobsOf(task)[0]?.spec.envs).toMatchObject([{ key: "OWN", value: "********" }]);
  });

  test("that cannot run here fails with a sentence that says why", async () => {
    const onHost = freestyle("host", "true", { runtime: { infrastructure: "vm" } });
    const powershell = freestyle("shell", "true", { script_type: "powershell" });
    await makeWorkflow("shop", { name: "refused", stages: [{ ...stage("one", onHost, powershell), parallel: true }] });
    const task = await tasks.end("refused", await tasks.started("refused", ["host", "shell"]));
    expect(jobsOf(task).map(({ error }) => error)).toEqual([
      "jobs on hosts (infrastructure vm) cannot be run here; use the infrastructure kubernetes",
      "scripts of type powershell cannot be run here; use a shell script",
    ]);
  });
});

describe("a plugin", () => {
  test("runs its image's command with its inputs, masked where they are credentials", async () => {
    const spec = {
      plugin: {
        ...{
          name: "greeter",
          image: "greeter:1",
          cmds: ["sh", "-c"],
          args: ["echo hello $(inputs.who), $KEY, $(inputs.key)"],
        },
        envs: [{ name: "KEY", value: "$(inputs.key)" }],
        inputs: [
          { name: "who", type: "string", value: "nobody" },
          { name: "key", type: "string", value: "pl4in-secret", is_credential: true },
        ],
      },
    };
    await makeWorkflow("shop", { name: "plugins", stages: [stage("one", { name: "greet", type: "plugin", spec })] });
    const id = await tasks.started("plugins", [], {
      inputs: [{ job_name: "greet", parameters: { kv: [{ key: "who", value: "us" }] } }],
    });
    const task = await tasks.end("plugins", id);
    expect(jobsOf(task)[0]).toMatchObject({ status: "passed", error: "" });
    expect(await logOf("plugins", id, "greet")).toBe("hello us, ******, ******\n");
    expect(JSON.stringify(task)).not.toContain("pl4in-secret");
  });
});

describe("a build job", () => {
  test("runs the build of each chosen module and leaves the image that it names", async () => {
    const build = {
      ...{ name: "shop-build", project_key: "shop", infrastructure: "kubernetes", build_os: "ubuntu 20.04" },
      ...{
        installs: [],
        script_type: "shell",
        build_script: 'IMAGE="$IMAGE"1; echo "$SERVICE_MODULE for $WHO as $IMAGE"',
      },
      services: [{ service_name: "shop", service_module: "web" }],
      parameters: [{ key: "WHO", type: "string", default_value: "nobody" }],
    };
    const made = await slipway.call("POST", "/openapi/build?projectKey=shop", { body: build });
    expect(made.text).toBe('{"message":"success"}');
    const jobs = [{ name: "build", type: "zadig-build", spec: { source: "runtime" } }];
    const after = freestyle(
      "after",
      "echo {{.job.build.shop.web.output.imageTag}} of {{.job.build.SERVICES}} in {{.job.build.IMAGES}}",
    );
    await makeWorkflow("shop", { name: "builds", stages: [{ name: "one", jobs }, stage("two", after)] });
    const of = { service_name: "shop", service_module: "web", build_name: "shop-build" };
    const module = { ...of, inputs: [{ key: "WHO", value: "us" }] };
    const id = await tasks.started("builds", [], {
      inputs: [
        { job_name: "build", parameters: { service_list: [module] } },
        { job_name: "after", parameters: {} },
      ],
    });
    const task = await tasks.end("builds", id);
    const [built] = jobsOf(task);
    expect(built).toMatchObject({ status: "passed", error: "", name: "job-0-0-0-build" });
    const image = String(built?.spec.image);
    expect(image).toMatch(/\/slipway\/web:\d{14}1$/);
    expect(await logOf("builds", id, "build.shop.web")).toBe(`web for us as ${image}\n`);
    expect(await logOf("builds", id, "after")).toBe(`${image.split(":").at(-1)} of shop/web in ${image}\n`);
  });

  test("of a module that no build makes, or with a registry that nobody knows, is refused", async () => {
    const jobs = [{ name: "build", type: "zadig-build", spec: { source: "runtime" } }];
    await makeWorkflow("shop", { name: "odd-builds", stages: [{ name: "one", jobs }] });
    const start = (parameters: object) =>
      tasks.start("odd-builds", [], { inputs: [{ job_name: "build", parameters }] });
    for (const module of [
      { service_name: "none", service_module: "none" },
      { service_name: "shop", service_module: "web", build_name: "none" },
    ]) {
      const nothing = await start({ service_list: [module] });
      expect([nothing.status, nothing.text]).toEqual([400, expect.stringContaining("no stage found")]);
    }
    const registry = await start({ registry: "https://nobody.example.com/x", service_list: [] });
    expect([registry.status, registry.text]).toEqual([
      400,
      expect.stringContaining("didn't find the specified image registry"),
    ]);
  });
});
