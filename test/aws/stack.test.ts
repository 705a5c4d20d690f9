import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { DescribeTableCommand, DynamoDBClient, ListTablesCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../infra/builtConsole.ts";
import { type ChangeSocket, connectWith, getTicket } from "../harness/changeSocket.ts";
import { type ChatService, startLark } from "../harness/chatServices.ts";
import { chromium } from "../harness/chromium.ts";
import { openBrowser } from "../harness/consoleBrowser.ts";
import { pushed, releases, type ShownVersion } from "../harness/deliveryVersions.ts";
import { openStream } from "../harness/eventStream.ts";
import { type HookReceiver, startHookReceiver } from "../harness/hookReceiver.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { chartFiles, packedChart } from "../harness/packedChart.ts";
import { call } from "../harness/slipway.ts";
import { pusher, startTestRegistry } from "../harness/testRegistry.ts";
import { waitFor } from "../harness/waitFor.ts";
import { type AwsCall, awsStack, type Invocation, linesOf } from "./awsStack.ts";
import { grantsLeftUnused, idleFunctions, isExplained } from "./grants.ts";

const stack = awsStack();
const kubeconfig = process.env.KUBECONFIG;
/** Where a layer has it; `.ci/run` puts it there, because the stand-in for Lambda has no layers. */
const hasHelm = existsSync("/opt/helm/helm");
if (stack !== undefined && !hasHelm)
  console.warn("SKIPPED: a chart in the stack. Put Helm at /opt/helm/helm to run it.");

interface Environment {
  status: string;
  stored_status?: string;
  error?: string;
  asleep?: boolean;
}

interface Task {
  status: string;
  error?: string;
  stages: {
    status: string;
    approval: { lark_approval?: { instance_code: string } } | null;
    jobs: { name: string; status: string; error: string }[];
  }[];
}

interface Plan {
  status: string;
  schedule_execute_time: number;
  jobs: { status: string; executed_time: number }[];
}

describe.skipIf(stack === undefined || kubeconfig === undefined)("the synthesized stack", () => {
  const { address, websocket, services, bootstrapSecret, calls, invocations } = stack ?? {
    address: "",
    websocket: "",
    services: "",
    bootstrapSecret: "",
    calls: "",
    invocations: "",
  };
  const run = randomBytes(3).toString("hex");
  const project = `end-${run}`;
  const inProject = `projectKey=${project}`;
  const charts = `charts-${run}`;
  const environments = "/openapi/environments";
  const password = `Aws-${randomBytes(12).toString("hex")}`;
  let token: string | null = null;
  let uid: string;
  let cluster: string;
  let registry: string;
  let receiver: HookReceiver;
  let lark: ChatService;
  let plan: string;
  let socket: ChangeSocket;
  let signsOfLife: NodeJS.Timeout;

  beforeAll(async () => {
    [receiver, lark] = await Promise.all([startHookReceiver(), startLark("lark")]);
  });

  afterAll(async () => {
    clearInterval(signsOfLife);
    socket?.leave();
    await Promise.all([receiver.close(), lark.server.close()]);
  });

  async function send<T = Record<string, never>>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await call<T>(address, method, path, { token, ...(body !== undefined && { body }) });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
    return answer.json;
  }

  const detail = (envKey: string) => send<Environment>("GET", `${environments}/${envKey}?${inProject}`);

  const untilStored = (envKey: string, wanted = "success") =>
    waitFor(
      `environment ${envKey} to be stored as ${wanted}`,
      async () => {
        const found = await detail(envKey);
        if (found.stored_status === "failed" && wanted !== "failed") throw new Error(found.error);
        return found.stored_status === wanted && found;
      },
      60,
    );

  const create = async (envKey: string) => {
    const placed = { cluster_id: cluster, registry_id: registry };
    const services = [{ service_name: "web" }];
    const body = { env_key: envKey, namespace: `${project}-${envKey}`, ...placed, services };
    await send("POST", `${environments}?${inProject}`, body);
    await untilStored(envKey);
  };

  const images = async () => {
    const versions = await send<{ images: string[] }[]>("GET", `${environments}/dev/service/web/versions?${inProject}`);
    return versions[0]?.images;
  };

  const script = (name: string, text: string) => ({
    name,
    type: "freestyle",
    spec: {
      runtime: { infrastructure: "kubernetes", build_os: "ubuntu 20.04" },
      script_type: "shell",
      script: text,
      advanced_setting: { cluster_id: cluster },
    },
  });

  const workflow = `ship-${run}`;
  const task = () => send<Task>("GET", `/openapi/workflows/custom/task?workflowKey=${workflow}&taskId=1`);
  const untilTask = (what: string, holds: (task: Task) => boolean) =>
    waitFor(
      `a task that ${what}`,
      async () => {
        const now = await task();
        if (/fail|timeout|reject/.test(now.status)) throw new Error(JSON.stringify(now));
        return holds(now) && now;
      },
      60,
    );

  test("lets the holder of the bootstrap secret make the first user, who signs in", async () => {
    const { initialized } = await send<{ initialized: boolean }>("GET", "/api/aslan/system/initialization/status");
    expect(initialized).toBe(false);
    const body = { username: "admin", password, company: "Example", email: "admin@example.com" };
    const path = "/api/aslan/system/initialization/user";
    const secret = readFileSync(bootstrapSecret, "utf8").trim();
    const refused = await call(address, "POST", path, { body, token, headers: { "x-bootstrap-secret": "wrong" } });
    expect(refused.status).toBe(403);
    const made = await call(address, "POST", path, { body, token, headers: { "x-bootstrap-secret": secret } });
    expect(made.status, made.text).toBe(200);
    const login = await send<{ uid: string; token: string }>("POST", "/api/v1/login", { account: "admin", password });
    uid = login.uid;
    token = login.token;
    token = (await send<{ token: string }>("GET", `/api/v1/users/${uid}/personal`)).token;
  });

  test("is well, and says so to everybody", async () => {
    for (const [path, status] of [
      ["/healthz", "ok"],
      ["/readyz", "ready"],
    ] as const)
      expect((await call(address, "GET", path, { token: null })).json).toEqual({ status });
  });

  test("opens a change socket by a ticket, once, and answers there", async () => {
    const { address: at, protocols } = await getTicket(address, token);
    expect(at).toMatch(/^wss:\/\/[a-z0-9]+\.execute-api\.us-east-1\.amazonaws\.com\/slipway$/);
    socket = await connectWith(websocket, protocols);
    expect(socket.protocol).toBe("slipway.changes.v1");
    await expect(connectWith(websocket, protocols)).rejects.toThrow("status 401");
    await socket.follow({ environment: `${project}/dev` });
    expect(socket.told()).toContainEqual(expect.objectContaining({ type: "services", state: "lost" }));
    signsOfLife = setInterval(() => socket.send({ action: "ping" }), 60_000);
  });

  test("takes in a project, a cluster, and a registry that is not of AWS", async () => {
    const names = { project_name: project, project_key: project };
    await send("POST", "/openapi/projects/project", { ...names, is_public: false, project_type: "yaml" });
    const ofCharts = { project_name: charts, project_key: charts, is_public: false, project_type: "helm" };
    await send("POST", "/openapi/projects/project", ofCharts);
    const kube_config = readFileSync(kubeconfig ?? "", "utf8");
    const named = { name: `cluster-${run}`, type: "kubeconfig", kube_config, project_names: [project, charts] };
    await send("POST", "/openapi/system/cluster", named);
    const clusters = await send<{ name: string; cluster_id: string }[]>("GET", "/openapi/system/cluster");
    cluster = clusters.find(({ name }) => name === named.name)?.cluster_id ?? "";
    const registryBody = { address: "http://127.0.0.1:5099", provider: "native", namespace: project, is_default: true };
    const keysOf = { access_key: "robot", secret_key: "s3cret" };
    await send("POST", "/openapi/system/registry", { ...registryBody, ...keysOf });
    const registries = await send<{ namespace: string; registry_id: string }[]>("GET", "/openapi/system/registry");
    registry = registries.find(({ namespace }) => namespace === project)?.registry_id ?? "";
    expect([cluster, registry]).toEqual([
      expect.stringMatching(/^[0-9a-f]{24}$/),
      expect.stringMatching(/^[0-9a-f]{24}$/),
    ]);
  });

  test("deploys a service, a new revision of it, and rolls back", async () => {
    const raw = `/openapi/service/yaml/raw?${inProject}`;
    await send("POST", raw, { service_name: "web", yaml: deploymentYaml("web", "example.com/web:1") });
    await create("dev");
    await send("PUT", `/openapi/service/yaml/web?${inProject}`, {
      type: "k8s",
      yaml: deploymentYaml("web", "example.com/web:2"),
    });
    await send("PUT", `${environments}/dev/services?${inProject}`, { service_list: [{ service_name: "web" }] });
    await untilStored("dev");
    expect(await images()).toEqual(["example.com/web:2"]);
    expect(await send("GET", `${environments}/dev/drift?${inProject}`)).toMatchObject({ in_sync: true });
    await send("POST", `${environments}/dev/service/web/versions/1/rollback?${inProject}`);
    await untilStored("dev");
    expect(await images()).toEqual(["example.com/web:1"]);
  });

  test("streams the log of a pod", async () => {
    const { pods } = await send<{ pods: { pod_name: string }[] }>(
      "GET",
      `${environments}/dev/service/web/pods?${inProject}`,
    );
    const path = `/openapi/logs/sse/pods/${pods[0]?.pod_name}/containers/main?${inProject}&envName=dev`;
    const stream = await openStream(address, path, { token });
    expect(stream.status).toBe(200);
    expect((await stream.lines(3)).length).toBeGreaterThanOrEqual(3);
    stream.leave();
  });

  test("tells what changed, and ends where no more is wanted", async () => {
    const { status, headers, text } = await call(address, "GET", "/openapi/events/stream?once=true", { token });
    expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    expect(text).toMatch(/^id:\d{13}\.0{8}\nevent:message\ndata:\{"id":"[\d.]+","type":"current"\}$/m);
  });

  test("serves the console below its stage, compressed, and sends browsers to it", async () => {
    const folder = builtConsole();
    const get = (path: string, accept: string) =>
      fetch(address + path, { headers: { accept, "accept-encoding": "br" }, redirect: "manual" });
    const sent = await get("", "text/html,*/*;q=0.8");
    const root = new URL(address).pathname;
    expect([sent.status, sent.headers.get("location")]).toEqual([302, `${root}/console/`]);
    expect((await get("/", "application/json")).status).toBe(404);
    const page = await get("/console/v1/statistics", "text/html");
    const policy = /connect-src 'self' wss:\/\/[a-z0-9]+\.execute-api\.us-east-1\.amazonaws\.com;/;
    expect([page.status, page.headers.get("content-security-policy")]).toEqual([200, expect.stringMatching(policy)]);
    const text = await page.text();
    expect(text).toContain('<base href="../">');
    const assets = [...text.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? "");
    expect(assets.length).toBeGreaterThan(1);
    for (const asset of assets) {
      const file = await get(`/console${asset}`, "*/*");
      expect([file.status, file.headers.get("content-encoding")]).toEqual([200, "br"]);
      expect(await file.text()).toBe(readFileSync(join(folder, asset), "utf8"));
    }
    expect((await get("/console/assets/nothing.js", "*/*")).status).toBe(404);
  });

  test.skipIf(chromium === undefined)("lets people sign in to the console and shows their project", async () => {
    const browser = await openBrowser({ runtime: { url: address } });
    try {
      const { page, faults } = await browser.opened();
      await browser.signIn(page, `v1/projects/detail/${project}`, "admin", password);
      await page.getByRole("link", { name: "dev" }).first().click();
      await page.getByText("example.com/web:1").first().waitFor();
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  test("runs a workflow that waits for an approval and tells of it", async () => {
    const native = { needed_approvers: 1, approve_users: [{ user_id: uid }] };
    const app = (await send<{ id: string }>("POST", "/api/aslan/system/im-apps", lark.app)).id;
    const nodes = ["AND", "OR"].map((type) => ({ type, approve_users: [lark.person("kim")] }));
    const lark_approval = { approval_id: app, default_approval_initiator: lark.person("lee"), approval_nodes: nodes };
    const hook = { address: `${receiver.url}/hook`, token: "t" };
    await send("POST", "/openapi/workflows/custom", {
      name: workflow,
      project,
      stages: [
        { name: "test", jobs: [script("say", "echo hello")] },
        {
          name: "release",
          approval: { enabled: true, type: "lark", lark_approval },
          jobs: [
            { name: "ask", type: "approval", spec: { type: "native", native_approval: native } },
            script("tell", "echo released"),
          ],
        },
      ],
      notify_ctls: [
        { enabled: true, webhook_type: "webhook", notify_type: ["passed"], webhook_notification_config: hook },
      ],
    });
    const inputs = [{ job_name: "say" }, { job_name: "tell" }];
    await send("POST", "/openapi/workflows/custom/task", { workflow_key: workflow, project_key: project, inputs });
    const asked = await untilTask("is asked for at Lark", ({ stages }) =>
      stages.some(({ approval }) => (approval?.lark_approval?.instance_code ?? "") !== ""),
    );
    const code = asked.stages[1]?.approval?.lark_approval?.instance_code ?? "";
    lark.say(code, true, "");
    const { body, headers } = lark.callback(code);
    const heard = await call(address, "POST", `/api/aslan/system/lark/${app}/webhook`, { token: null, body, headers });
    expect(heard.status, heard.text).toBe(200);
    await untilTask("waits for its approval", ({ stages }) =>
      stages.some(({ jobs }) => jobs.some(({ status }) => status === "wait_for_approval")),
    );
    const decision = { workflow_key: workflow, task_id: 1, stage_name: "release", approve: true };
    await send("POST", "/openapi/workflows/custom/task/approve", decision);
    const { stages } = await untilTask("has passed", ({ status }) => status === "passed");
    expect(stages.map(({ status }) => status)).toEqual(["passed", "passed"]);
    const log = await call(address, "GET", `/openapi/logs/log/v4/workflow/${workflow}/1/say`, { token });
    expect(log.status, log.text).toBe(200);
    const kept = await call(address, "GET", `/openapi/logs/files/v4/workflow/${workflow}/1/say`, { token });
    expect(kept.json, kept.text).toEqual({ files: [] });
    expect(await receiver.receivedOn("/hook", 1)).toMatchObject([{ body: expect.stringContaining(workflow) }]);
  });

  test("runs a code scan and shows how it ended", async () => {
    const name = `unit-${run}`;
    const least = { name, project_key: project, scanner_type: "other", image_name: "ubuntu 20.04", script: "true" };
    const advanced_settings = { cluster_name: `cluster-${run}` };
    await send("POST", "/openapi/quality/codescan", { ...least, advanced_settings });
    const path = `/openapi/quality/codescan/${name}/task`;
    const { task_id } = await send<{ task_id: number }>("POST", `${path}?${inProject}`, {});
    await waitFor(
      "the end of the scan",
      async () => {
        const { status, ...rest } = await send<{ status: string }>("GET", `${path}/${task_id}?${inProject}`);
        if (/fail|timeout/.test(status)) throw new Error(JSON.stringify(rest));
        return status === "passed";
      },
      60,
    );
  });

  test("starts a workflow by a hook that is called, and keeps a cron at the scheduler", async () => {
    const name = `hooked-${run}`;
    const stages = [{ name: "release", jobs: [script("say", "echo hooked")] }];
    await send("POST", "/openapi/workflows/custom", { name, project, stages });
    const triggers = "/api/aslan/workflow/v4";
    const secret = "a-secret-of-the-hook";
    await send("POST", `${triggers}/generalhook/${name}`, { name: "ci", secret });
    await send("POST", `${triggers}/cron/${name}`, { name: "nightly", cron: "30 2 * * *" });
    const headers = { "x-slipway-token": secret };
    const rung = await call(address, "POST", `${triggers}/generalhook/${name}/ci/webhook`, {
      token: null,
      body: {},
      headers,
    });
    expect(rung.status, rung.text).toBe(202);
    await waitFor(
      "the task of the hook",
      async () => {
        const found = await send<{ status: string; problem: string }[]>("GET", `${triggers}/triggerdelivery/${name}`);
        if (found[0]?.status === "failed") throw new Error(found[0].problem);
        return found[0]?.status === "started";
      },
      60,
    );
    await waitFor(
      "its end",
      async () =>
        (await send<Task>("GET", `/openapi/workflows/custom/task?workflowKey=${name}&taskId=1`)).status === "passed",
      60,
    );
    await send("DELETE", `${triggers}/cron/${name}/trigger/nightly`);
  });

  const plans = "/openapi/release_plan/v1";
  const readPlan = () => send<Plan>("GET", `${plans}/${plan}`);

  test("keeps a release plan that is approved and has a schedule of EventBridge", async () => {
    const name = `plain-${run}`;
    const stages = [{ name: "release", jobs: [script("say", "echo released")] }];
    await send("POST", "/openapi/workflows/custom", { name, project, stages });
    const native_approval = { needed_approvers: 1, approve_users: [{ type: "user", user_id: uid }] };
    const named = { name: `release-${run}`, manager: "admin", manager_identity_type: "system" };
    plan = (await send<{ id: string }>("POST", plans, named)).id;
    const spec = { workflow_key: name, project_key: project, inputs: [{ job_name: "say" }] };
    await send("PATCH", `${plans}/${plan}`, {
      ...named,
      // Later than schedules that are slept through: EventBridge Scheduler starts this one.
      schedule_execute_time: Math.floor(Date.now() / 1000) + 120,
      approval: { enabled: true, type: "native", native_approval },
      jobs: [{ name: "ship", type: "workflow", spec }],
    });
    for (const status of ["finish_planning", "wait_for_approval"])
      await send("POST", `${plans}/${plan}/status/${status}`, {});
    await send("POST", `${plans}/${plan}/approve`, { approve: true, comment: "" });
    expect(await readPlan()).toMatchObject({ status: "executing", jobs: [{ status: "todo" }] });
  });

  test("puts an environment to sleep by a schedule of EventBridge, and wakes it when asked", async () => {
    const soon = new Date(Date.now() + 65_000);
    const settings = {
      ...{ sleep_cron: `${soon.getUTCMinutes()} ${soon.getUTCHours()} * * *`, awake_cron: "" },
      ...{ time_zone: "UTC", enabled: true },
    };
    await send("PUT", `${environments}/dev/sleep/schedule?${inProject}`, settings);
    await waitFor("the environment to fall asleep", async () => (await detail("dev")).status === "sleeping", 100);
    await send("POST", `${environments}/dev/wake?${inProject}`);
    await waitFor("the environment to be awake", async () => (await detail("dev")).status === "running", 60);
    await send("PUT", `${environments}/dev/sleep/schedule?${inProject}`, { ...settings, enabled: false });
  }, 240_000);

  test("keeps templates, labels, builds, code hosts, roles, and names members", async () => {
    const content = deploymentYaml("web", "example.com/web:1");
    await send("POST", "/api/aslan/template/yaml", { name: `web-${run}`, content });
    const label = await send<{ id: string }>("POST", "/api/aslan/system/labels", { key: `team-${run}` });
    const bound = { project_key: project, service_name: "web", label_id: label.id, value: "shop" };
    await send("POST", "/api/aslan/service/labels", bound);
    const host = { type: "gitlab", address: "https://gitlab.example.com", alias: `git-${run}` };
    await send("POST", "/api/aslan/system/codehosts", { ...host, auth_type: "token", access_token: "glpat-4711" });
    const unknown = await call(address, "POST", "/openapi/collaborations", { token, body: { project_key: project } });
    expect(unknown.status, unknown.text).toBe(400);
    await send("GET", "/openapi.json");
    await send("GET", "/api/v1/login-enabled");
    await send("GET", `/openapi/policy/roles?namespace=${project}`);
    await send("GET", `/openapi/build?${inProject}`);
  });

  test("renews the pull secrets of a registry whose keys change", async () => {
    const body = { address: "http://127.0.0.1:5099", provider: "native", namespace: project, is_default: true };
    const more = { access_key: "robot", secret_key: "an0ther" };
    await send("PUT", `/openapi/system/registry/${registry}`, { ...body, ...more });
    await waitFor("the refresh", async () => ran().has("registry-refresh"), 30);
  });

  test("logs in to ECR by the role of whoever writes a pull secret", async () => {
    const ecr = {
      address: "https://123456789012.dkr.ecr.us-east-1.amazonaws.com",
      provider: "ecr",
      region: "us-east-1",
    };
    await send("POST", "/openapi/system/registry", { ...ecr, namespace: "", access_key: "", secret_key: "" });
    const registries = await send<{ provider: string; registry_id: string }[]>("GET", "/openapi/system/registry");
    const registry_id = registries.find(({ provider }) => provider === "ecr")?.registry_id;
    const asked = () =>
      linesOf<AwsCall>(calls)
        .filter(({ action }) => action === "ecr:GetAuthorizationToken")
        .map(({ caller }) => caller);
    await send("PUT", `${environments}/dev?${inProject}`, { registry_id });
    await waitFor("two functions with a login", async () => new Set(asked()).size === 2, 30);
    await send("PUT", `${environments}/dev?${inProject}`, { registry_id: registry });
  });

  test("has run the release plan at its second, once", async () => {
    const done = await waitFor(
      "the end of the plan",
      async () => {
        const now = await readPlan();
        if (now.jobs.some(({ status }) => /fail/.test(status))) throw new Error(JSON.stringify(now));
        return now.status === "success" && now;
      },
      150,
    );
    expect(done.jobs).toMatchObject([{ status: "done", spec: { task_id: 1 }, executed_by: "System" }]);
    expect(done.jobs[0]?.executed_time).toBeGreaterThanOrEqual(done.schedule_execute_time);
    await send("DELETE", `${plans}/${plan}`);
  }, 180_000);

  test("copies a version and a job's image from registry to registry, and deploys both", async () => {
    const [source, target] = [await startTestRegistry(), await startTestRegistry()];
    try {
      for (const [{ address: host }, namespace] of [[source, "team"] as const, [target, "release"] as const]) {
        const body = { address: `http://${host}`, provider: "native", namespace, is_default: false };
        await send("POST", "/openapi/system/registry", body);
      }
      const registries = await send<{ address: string; registry_id: string }[]>("GET", "/openapi/system/registry");
      const targetId = registries.find(({ address: one }) => one === `http://${target.address}`)?.registry_id ?? "";
      const { digest } = await pusher(source.address).image("team/web", "1", { layers: [1000, 70_000] });
      const image = pushed(`${source.address}/team`, `${target.address}/release`, "web", "1");
      const named = { versionName: "R1", projectKey: project };
      const services = [{ service_name: "web", yaml_content: "", images: [{ ...image, container_name: "main" }] }];
      const body = {
        project_key: project,
        version_name: "R1",
        source: "manual",
        image_registry_id: targetId,
        services,
      };
      await send("POST", `${releases}/k8s`, body);
      const version = await waitFor(
        "the end of a version",
        async () => {
          const now = await send<ShownVersion>("GET", `${releases}/detail?${new URLSearchParams(named)}`);
          if (now.status === "failed") throw new Error(JSON.stringify(now));
          return now.status === "success" && now;
        },
        60,
      );
      expect(version.services).toMatchObject([{ images: [{ status: "passed", digest }] }]);
      const arrived = await fetch(`http://${target.address}/v2/release/web/manifests/1`);
      expect(arrived.headers.get("docker-content-digest")).toBe(digest);
      const asked = new URLSearchParams({ image: digest });
      const traced = await send<{ versions: { version: string }[] }>("GET", `/openapi/artifacts/trace?${asked}`);
      expect(traced.versions).toMatchObject([{ version: "R1" }]);
      await send("POST", `${releases}/${version.id}/deploy?${inProject}`, { env_key: "dev", production: false });
      await waitFor("the version to be deployed", async () => (await images())?.some((one) => one.includes(digest)));

      const sourceId = registries.find(({ address: one }) => one === `http://${source.address}`)?.registry_id;
      const between = { source_registry_id: sourceId, target_registry_id: targetId };
      const chosen = { service_name: "web", service_module: "main", source_tag: "1", image_name: "web" };
      const targets = [{ ...chosen, update_tag: true, target_tag: "by-job" }];
      const name = `copy-${run}`;
      await send("POST", "/openapi/workflows/custom", {
        ...{ name, project },
        stages: [
          {
            name: "copy",
            jobs: [{ name: "copy", type: "zadig-distribute-image", spec: { source: "runtime", ...between, targets } }],
          },
          {
            name: "deploy",
            jobs: [
              {
                ...{ name: "deploy", type: "zadig-deploy" },
                spec: { env: "dev", source: "fromjob", job_name: "copy", deploy_contents: ["image"] },
              },
            ],
          },
        ],
      });
      const inputs = [{ job_name: "copy" }, { job_name: "deploy" }];
      await send("POST", "/openapi/workflows/custom/task", { workflow_key: name, project_key: project, inputs });
      await waitFor(
        "the task that copies to pass",
        async () => {
          const now = await send<Task>("GET", `/openapi/workflows/custom/task?workflowKey=${name}&taskId=1`);
          if (/fail|timeout/.test(now.status)) throw new Error(JSON.stringify(now));
          return now.status === "passed";
        },
        60,
      );
      const copied = await fetch(`http://${target.address}/v2/release/web/manifests/by-job`);
      expect(copied.headers.get("docker-content-digest")).toBe(digest);
      const log = await call(address, "GET", `/openapi/logs/log/v4/workflow/${name}/1/copy`, { token });
      expect(log.text).toContain(`${target.address}/release/web:by-job: is there, ${digest}`);
    } finally {
      await source.close();
      await target.close();
    }
  }, 180_000);

  test.skipIf(!hasHelm)(
    "deploys a chart by Helm",
    async () => {
      const where = `projectKey=${charts}`;
      await send("POST", "/api/aslan/template/charts", { name: charts, source: "upload" });
      const content = (await packedChart(chartFiles("1.0.0"))).toString("base64");
      await send("POST", `/api/aslan/template/charts/${charts}/upload`, { content });
      const service = { service_name: "web", template_name: charts, auto_sync: true, values_yaml: "color: green" };
      await send("POST", `/openapi/service/template/load/helm?${where}`, service);
      const next = (await packedChart(chartFiles("1.0.1"))).toString("base64");
      const followed = await send("POST", `/api/aslan/template/charts/${charts}/upload`, { content: next });
      expect(followed).toMatchObject({ updated: 1, failed: [], pending: 0 });
      const placed = { env_name: "dev", cluster_id: cluster, namespace: charts, registry_id: registry };
      await send("POST", `${environments}/helm?${where}`, placed);
      const untilDone = () =>
        waitFor(
          "the chart's environment to be at rest",
          async () => {
            const found = await send<Environment>("GET", `${environments}/dev?${where}`);
            if (found.stored_status === "failed") throw new Error(found.error);
            return found.stored_status === "success";
          },
          60,
        );
      await untilDone();
      await send("POST", `${environments}/helm/dev/services?${where}`, { services: [{ service_name: "web" }] });
      await untilDone();
      const values = `${environments}/service/values?${where}&envName=dev&serviceName=web`;
      const { text } = await call(address, "GET", values, { token });
      expect(text).toContain("color: green");
    },
    180_000,
  );

  test("counts what ended, and finds the same when it counts again", async () => {
    const counted = () => send<{ project_count: number }>("GET", "/openapi/statistics/overview");
    const before = await counted();
    // Once a day it is called by a schedule, which these tests do not wait for.
    const credentials = { accessKeyId: "administrator", secretAccessKey: "none" };
    const lambda = new LambdaClient({ endpoint: services, region: "us-east-1", credentials });
    const FunctionName = "Slipway-statistics-recount";
    const { FunctionError, Payload } = await lambda.send(new InvokeCommand({ FunctionName, Payload: "{}" }));
    lambda.destroy();
    expect(FunctionError, new TextDecoder().decode(Payload)).toBeUndefined();
    expect(await counted()).toEqual(before);
  });

  test("has every change in the operation log", async () => {
    const { operation_logs } = await send<{ operation_logs: { function: string; status: number }[] }>(
      "GET",
      `/openapi/system/operation?searchType=project&${inProject}&perPage=100`,
    );
    const known = new Set(operation_logs.map((record) => record.function));
    expect([...known]).toEqual(expect.arrayContaining(["Environment", "Workflow"]));
    expect(operation_logs.filter(({ status }) => status >= 500)).toEqual([]);
  });

  test("answers every call while its table is throttled, and records each once", async () => {
    const faults = join(dirname(calls), "faults.json");
    const requests: string[] = [];
    const yaml = (text: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: told}\ndata: {text: "${text}"}\n`;
    const services = "/openapi/service/yaml";
    await send("POST", `${services}/raw?${inProject}`, { service_name: "told", yaml: yaml("first") });
    writeFileSync(
      faults,
      JSON.stringify([
        { service: "dynamodb", action: "TransactWriteItems", rate: 0.2, error: "ThrottlingError", seed: 36 },
        { service: "dynamodb", rate: 0.05, error: "throttled", seed: 37 },
      ]),
    );
    try {
      for (let at = 0; at < 20; at++) {
        const body = { type: "k8s", yaml: yaml(`${at}`) };
        const answer = await call(address, "PUT", `${services}/told?${inProject}`, { token, body });
        expect(answer.status, answer.text).toBe(200);
        requests.push(answer.headers.get("x-request-id") ?? "");
      }
    } finally {
      rmSync(faults);
    }
    const search = `searchType=project&projectKey=${project}&perPage=100&page=1`;
    const { operation_logs } = await send<{ operation_logs: { request_id: string }[] }>(
      "GET",
      `/openapi/system/operation?${search}`,
    );
    const recorded = Map.groupBy(operation_logs, ({ request_id }) => request_id);
    expect(requests.filter((id) => recorded.get(id)?.length !== 1)).toEqual([]);
  });

  test("has told the change socket of environments, tasks and the plan, and of nothing once its token ended", async () => {
    for (const [type, key] of [
      ["environment", "dev"],
      ["task", workflow],
      ["release_plan", plan],
    ])
      expect(socket.told(), `${type} ${key}`).toContainEqual(expect.objectContaining({ type, key }));
    const body = { account: "admin", password };
    const { token: session } = await send<{ token: string }>("POST", "/api/v1/login", body);
    const short = await connectWith(websocket, (await getTicket(address, session)).protocols);
    await short.follow();
    expect((await call(address, "GET", "/api/v1/logout", { token: session })).status).toBe(200);
    const before = short.told().length;
    const untold = { name: `untold-${run}`, manager: "admin", manager_identity_type: "system" };
    await send("POST", "/openapi/release_plan/v1", untold);
    await short.closed();
    expect(short.messages.at(-1)).toMatchObject({ type: "end", reason: "unauthorized" });
    expect(short.told()).toHaveLength(before);
  });

  test("takes everything away with the projects", async () => {
    for (const key of [charts, project])
      await send("DELETE", `/openapi/projects/project?projectKey=${key}&isDelete=true`);
    await waitFor("the end of the projects", async () => {
      const { projects } = await send<{ projects: { project_key: string }[] }>(
        "GET",
        "/openapi/projects/project?pageNum=1&pageSize=100",
      );
      return projects.every(({ project_key }) => ![charts, project].includes(project_key));
    });
  });

  const ran = () => new Set(linesOf<Invocation>(invocations).map((line) => line.function.replace("Slipway-", "")));

  describe("over all of this", () => {
    test("no call was denied, no request refused by DynamoDB, and no function failed", () => {
      const lines = linesOf<AwsCall>(calls);
      expect(lines.length).toBeGreaterThan(100);
      expect(lines.filter(({ allowed }) => allowed === false)).toEqual([]);
      expect(lines.filter(({ rejected }) => rejected !== undefined)).toEqual([]);
      expect(linesOf<Invocation>(invocations).filter(({ error }) => error !== undefined)).toEqual([]);
    });

    test("every function ran", () => {
      expect(idleFunctions(ran())).toEqual(hasHelm ? [] : ["helm"]);
    });

    test("nothing is granted that is neither used nor explained", () => {
      const unused = grantsLeftUnused(linesOf<AwsCall>(calls), ran());
      expect(unused.filter((one) => !isExplained(one))).toEqual([]);
    });
  });

  describe("an operator", () => {
    const env = {
      ...process.env,
      ...{ AWS_ENDPOINT_URL: services, AWS_REGION: "us-east-1" },
      ...{ AWS_ACCESS_KEY_ID: "operator", AWS_SECRET_ACCESS_KEY: "operator" },
    };
    /** A program of the operator's own machine; its exit code and all that it printed. */
    const operate = async (program: string, ...words: string[]) => {
      const path = fileURLToPath(new URL(`../../infra/operate/${program}.ts`, import.meta.url));
      const child = spawn(process.execPath, [path, ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
      const [[code], ...texts] = await Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]);
      return { code, printed: texts.join("") };
    };

    test("sends an event again that its function failed at three times", async () => {
      const faults = join(dirname(calls), "faults.json");
      const clients = { endpoint: services, region: "us-east-1" };
      const lambda = new LambdaClient({ ...clients, credentials: { accessKeyId: "test", secretAccessKey: "test" } });
      const Payload = new TextEncoder().encode(JSON.stringify({ registryId: registry }));
      const failed = () =>
        linesOf<Invocation>(invocations).filter((line) => line.function.endsWith("registry-refresh") && line.error);
      writeFileSync(
        faults,
        JSON.stringify([
          { service: "dynamodb", function: "Slipway-registry-refresh*", error: "AccessDeniedException" },
        ]),
      );
      try {
        for (let times = 0; times < 2; times++)
          await lambda.send(
            new InvokeCommand({ FunctionName: "Slipway-registry-refresh", InvocationType: "Event", Payload }),
          );
        await waitFor("three attempts at each", async () => failed().length === 6, 60);
      } finally {
        rmSync(faults);
      }
      const told = await waitFor("the events to be kept", async () => {
        const found = await operate("redrive", "--dry-run");
        return found.printed.includes("2 events") && found;
      });
      expect(told.printed).toContain(`Slipway-registry-refresh {"registryId":"${registry}"}`);
      expect(told.code).toBe(0);
      const { printed, code } = await waitFor(
        "the events to be seen again",
        async () => {
          const found = await operate("redrive", "--function", "registry-refresh");
          return found.printed.includes("2 events") && found;
        },
        90,
      );
      expect(printed).toContain("2 events, 1 sent\n");
      expect(code).toBe(0);
      expect((await operate("redrive")).printed).toBe("0 events, 0 sent\n");
      expect(failed()).toHaveLength(6);
    }, 240_000);

    test("makes a table of another one, with its operation log whole", async () => {
      const client = new DynamoDBClient({
        ...{ endpoint: services, region: "us-east-1" },
        credentials: { accessKeyId: "test", secretAccessKey: "test" },
      });
      const { TableNames = [] } = await client.send(new ListTablesCommand());
      const from = TableNames.find((name) => name.includes("Slipway")) ?? TableNames[0] ?? "";
      const to = `restored-${run}`;
      const { printed, code } = await operate("restore", "--from", from, "--to", to, "--copy");
      expect(code, printed).toBe(0);
      expect(printed).toMatch(/[1-9]\d* items copied\n[\s\S]* its operation log holds [1-9]\d* records/);
      expect(printed).toContain(`"data": {"table":"${to}"}`);
      const count = async (TableName: string) =>
        (await client.send(new ScanCommand({ TableName, Select: "COUNT" }))).Count;
      expect(await count(to)).toBe(await count(from));
      const { Table } = await client.send(new DescribeTableCommand({ TableName: to }));
      expect(Table?.DeletionProtectionEnabled).toBe(true);
      const { code: again, printed: why } = await operate("restore", "--from", from, "--to", to, "--copy");
      expect([again, why]).toEqual([2, expect.stringContaining("already exists")]);
    });
  });
});
