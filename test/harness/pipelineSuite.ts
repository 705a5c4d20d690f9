import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { untilStatus } from "./boutique.ts";
import { openStream } from "./eventStream.ts";
import { type GitServer, startGitServer } from "./gitServer.ts";
import { type HookReceiver, startHookReceiver } from "./hookReceiver.ts";
import { expectMessages } from "./pipelineMessages.ts";
import { gitPassword, type Member, makePipelineProject, type PipelineProject } from "./pipelineProject.ts";
import type { Slipway } from "./slipway.ts";
import { type ShownTask, tasksOf } from "./tasks.ts";
import { waitFor } from "./waitFor.ts";

export interface PipelineStanding {
  slipway: Slipway;
  kubeconfig: string;
  /** `http://host:port` */
  registry: string;
  /** Where jobs reach servers of this machine. */
  host: string;
  /** Whether images are built and run; otherwise scripts run as processes of this machine. */
  runsImages: boolean;
}

interface Pod {
  pod_ready: boolean;
  ip: string;
  images: string[];
}

interface Logged {
  username: string;
  method: string;
  function: string;
  detail: string;
  status: number;
}

const environments = "/openapi/environments";
const success = '{"message":"success"}';
const secrets = [gitPassword, encodeURIComponent(gitPassword), "registry-pa55word"];
const time = expect.any(Number);
const needsCluster = "building an image needs a cluster";
const jobNames = {
  unit: "job-0-0-0-unit",
  build: "job-1-0-0-build",
  consent: "job-2-0-0-consent",
  deploy: "job-3-0-0-deploy",
};

/** One commit on its way to its page: tested, built, approved and deployed, as its people see it. */
export function pipelineSuite(cluster: string, open: () => Promise<PipelineStanding>): void {
  const namespace = `slipway-test-pipeline-${randomBytes(3).toString("hex")}`;
  let standing: PipelineStanding;
  let slipway: Slipway;
  let client: ClusterClient;
  let git: GitServer;
  let hooks: HookReceiver;
  let project: PipelineProject;
  let tasks: ReturnType<typeof tasksOf>;
  let taskId: number;
  let liveLog: string;
  let image: string;

  const as = <T = unknown>(person: Member, method: string, path: string, body?: unknown) =>
    slipway.call<T>(method, path, { token: person.token, ...(body !== undefined && { body }) });
  const approve = (person: Member, decision = true) =>
    as<{ code: number; description: string }>(person, "POST", "/openapi/workflows/custom/task/approve", {
      ...{
        workflow_key: "ship",
        task_id: taskId,
        stage_name: "ask",
        approve: decision,
        comment: `says ${person.name}`,
      },
    });
  const jobOf = (task: ShownTask, name: string) =>
    task.stages.flatMap(({ jobs }) => jobs).find((one) => one.origin_name === name);
  const logOf = async (job: string) =>
    (await as(project.ann, "GET", `/openapi/logs/log/v4/workflow/ship/${taskId}/${job}`)).text;

  beforeAll(async () => {
    standing = await open();
    slipway = standing.slipway;
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    git = await startGitServer({ host: standing.host, password: gitPassword });
    hooks = await startHookReceiver((path) => (path === "/chat" ? '{"errcode":0}' : ""));
    tasks = tasksOf(slipway, "shop");
    project = await makePipelineProject({ slipway, git, hooks, registry: standing.registry, namespace });
  });

  afterAll(async () => {
    await client?.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
    client?.close();
    await slipway?.close();
    await Promise.all([git?.close(), hooks?.close()]);
  });

  describe(`a pipeline on ${cluster}`, () => {
    test("is started by one call of somebody who may, and shows the log of its test while it runs", async () => {
      const { ann, approvers, openGate } = project;
      const inputs = [
        { job_name: "unit", job_type: "zadig-test", parameters: { testing_list: [{ testing_name: "web-unit" }] } },
        {
          ...{ job_name: "build", job_type: "zadig-build" },
          parameters: {
            registry: `${standing.registry}/shop`,
            service_list: [
              { service_name: "web", service_module: "main", inputs: [{ key: "WHO", value: "the pipeline" }] },
            ],
          },
        },
        { job_name: "deploy", job_type: "zadig-deploy", parameters: { env_name: "dev", service_list: [] } },
      ];
      const body = {
        workflow_key: "ship",
        project_key: "shop",
        inputs,
        parameters: [{ name: "REASON", type: "string", value: "sale" }],
      };
      const refused = await as(approvers[0], "POST", "/openapi/workflows/custom/task", body);
      expect(refused.status).toBe(403);
      const started = await as(ann, "POST", "/openapi/workflows/custom/task", body);
      expect([started.status, started.json]).toEqual([
        200,
        { project_name: "shop", workflow_name: "ship", task_id: 1 },
      ]);
      taskId = 1;

      const path = `/openapi/logs/sse/v4/workflow/ship/${taskId}/${jobNames.unit}/100`;
      const stream = await openStream(slipway.runtime.url, path, { token: ann.token });
      const seen = () => stream.events().map(({ data }) => data);
      await waitFor("the test to say something", async () => seen().some((line) => line.startsWith("testing ")), 60);
      // It waits for the gate, so what was seen came while it ran.
      const running = await tasks.read("ship", taskId);
      expect([running.status, jobOf(running, "unit")?.status]).toEqual(["running", "running"]);
      expect(await logOf(jobNames.unit)).toBe("");
      openGate();
      await waitFor("the end of the stream", async () => stream.hasEnded(), 60);
      liveLog = seen().join("\n");
      expect(liveLog).toContain("testing web-unit of shop, gate ******\nthe gate is open");
      const alone = { project_key: "shop", test_name: "web-unit" };
      expect((await as(ann, "POST", "/openapi/quality/testing/task", alone)).json).toEqual({ task_id: 1 });
    });

    test("goes on although one case of four failed, and builds the image", async () => {
      const waiting = await tasks.until(
        "ship",
        taskId,
        "waiting for approval",
        (task) => jobOf(task, "consent")?.status === "wait_for_approval",
      );
      expect(jobOf(waiting, "unit")).toMatchObject({ status: "passed", error: "" });
      expect(waiting.status).toBe("running");
      const built = jobOf(waiting, "build");
      image = String(built?.spec.image);
      expect(image).toMatch(new RegExp(`^${standing.registry.replace("http://", "")}/shop/web:\\d{14}-1-main$`));
      if (!standing.runsImages) {
        expect(built).toMatchObject({ status: "unstable", error: expect.stringContaining(needsCluster) });
        expect(await logOf(jobNames.build)).toContain(needsCluster);
        return;
      }
      expect(built).toMatchObject({ status: "passed", error: "" });
      const [, path = "", tag = ""] = /^[^/]+\/(.+):([^:]+)$/.exec(image) ?? [];
      const accept = "application/vnd.oci.image.manifest.v1+json";
      const manifest = await fetch(`${standing.registry}/v2/${path}/manifests/${tag}`, { headers: { accept } });
      expect(manifest.status).toBe(200);
    });

    test("waits for two of its three approvers, each of whom decides once, and for nobody else", async () => {
      // It came up while the job tasks before ran.
      await untilStatus(slipway, "shop", "dev", "running", 90);
      const [bob, cem, dora] = project.approvers;
      const starter = await approve(project.ann);
      expect([starter.status, starter.json.code, starter.json.description]).toEqual([
        400,
        6169,
        "user Ann has no authority to Approve",
      ]);
      expect((await approve(bob)).text).toBe(success);
      const twice = await approve(bob, false);
      expect([twice.status, twice.json.code, twice.json.description]).toEqual([400, 6169, "Bob have approve already"]);
      expect(jobOf(await tasks.read("ship", taskId), "deploy")?.status).toBe("");
      expect((await approve(cem)).text).toBe(success);
      const late = await approve(dora, false);
      expect([late.status, late.json.code, late.json.description]).toEqual([400, 6169, "not found approval"]);
    });

    test("deploys what was built", async () => {
      const task = await tasks.end("ship", taskId);
      expect(task.stages.map(({ name, status }) => [name, status])).toEqual([
        ["check", "passed"],
        ["make", standing.runsImages ? "passed" : "unstable"],
        ["ask", "passed"],
        ["ship", "passed"],
      ]);
      expect(task.status).toBe("passed");
      const pod = await waitFor("the pod of the new image", async () => {
        const path = `${environments}/dev/service/web/pods?projectKey=shop`;
        const { pods } = (await as<{ pods: Pod[] }>(project.ann, "GET", path)).json;
        return pods.find(({ images, pod_ready }) => pod_ready && images.includes(image));
      });
      if (!standing.runsImages) return;
      const page = await fetch(`http://${pod.ip}:8080/`);
      expect([page.status, await page.text()]).toEqual([200, "page of the new image\nmade by the pipeline\n"]);
      expect(await (await fetch(`http://${pod.ip}:8080/greeting`)).text()).toBe("welcome\n");
    });

    test("has a test that runs by itself too, and answers with every case of its report", async () => {
      const path = "/openapi/quality/testing/web-unit/task/1?projectKey=shop";
      interface TestTask {
        status: string;
        end_time: number;
        test_report: unknown;
      }
      const ended = await waitFor("the end of the test", async () => {
        const { json } = await as<TestTask>(project.ann, "GET", path);
        return json.end_time > 0 && json;
      });
      const passed = (name: string) => ({ name, time: 0.25, failure: null, error: null });
      expect(ended).toEqual({
        ...{ test_name: "web-unit", task_id: 1, creator: "Ann", status: "passed" },
        ...{ create_time: time, start_time: time, end_time: time, error: "" },
        test_report: {
          ...{ test_total: 4, success_total: 3, failure_total: 1, skiped_total: 0, error_total: 0, time: 1 },
          test_cases: [
            passed("adds"),
            {
              ...passed("rounds"),
              failure: { message: "expected 1.00", type: "AssertionError", text: "got 0.99" },
            },
            passed("formats"),
            passed("is empty"),
          ],
        },
      });
    });

    test("tells in its detail what became of every part", async () => {
      const task = await tasks.read("ship", taskId);
      expect(task).toMatchObject({
        ...{ task_id: 1, workflow_key: "ship", workflow_name: "Ship It", project_key: "shop" },
        ...{ task_creator: "Ann", task_revoker: "Ann", is_restart: false, remark: "" },
        params: [{ name: "REASON", type: "string", value: "sale" }],
      });
      expect([task.start_time, task.end_time]).toEqual([time, time]);
      const common = {
        ...{ error: "", error_policy: null, retry_count: 0, error_handler_user_id: "", error_handler_username: "" },
        ...{ reverted: false, breakpoint_before: false, breakpoint_after: false },
        ...{ start_time: time, end_time: time, cost_seconds: time, status: "passed" },
      };
      const repository = {
        ...{ source: "gitlab", repo_owner: "team", repo_namespace: "team", repo_name: "web", branch: "main" },
        ...{ remote_name: "origin", codehost_id: time, oauth_token: "", enable_commit: false },
        ...{ commit_id: project.commit, commit_message: "Sell more", author_name: "Ada" },
        commit_time: time,
      };
      expect(jobOf(task, "unit")).toMatchObject({
        ...common,
        ...{ name: jobNames.unit, key: "unit.web-unit", display_name: "unit-web-unit", type: "zadig-test" },
        job_info: { job_name: "unit", testing_name: "web-unit", test_type: "" },
        spec: {
          ...{ repos: [repository], project_name: "shop", test_name: "web-unit", test_type: "" },
          ...{ service_name: "", service_module: "", junit_report: true, archive: false, html_report: false },
          envs: [{ key: "GATE", value: "********", type: "string", is_credential: true }],
        },
      });
      expect(jobOf(task, "build")).toMatchObject({
        ...common,
        ...{ name: jobNames.build, key: "build.web.main", display_name: "build-web-main", type: "zadig-build" },
        ...(!standing.runsImages && { status: "unstable", error: expect.stringContaining(needsCluster) }),
        error_policy: { policy: "ignore_error" },
        job_info: { job_name: "build", service_name: "web", service_module: "main" },
        spec: {
          ...{ repos: [repository], image, package: "", service_name: "web", service_module: "main" },
          envs: [{ key: "WHO", value: "the pipeline", type: "string", is_credential: false }],
        },
      });
      const [bob, cem, dora] = project.approvers;
      const decided = (person: Member, decision: string) => ({
        ...{ type: "user", user_id: person.uid, user_name: person.name, reject_or_approve: decision },
        ...{ comment: decision && `says ${person.name}`, operation_time: decision === "" ? 0 : time },
      });
      const users = [decided(bob, "approve"), decided(cem, "approve"), decided(dora, "")];
      expect(jobOf(task, "consent")).toMatchObject({
        ...common,
        ...{ name: jobNames.consent, key: "consent", display_name: "consent", type: "approval" },
        job_info: { job_name: "consent" },
        spec: {
          ...{ timeout: 10, type: "native", description: "Ship it?" },
          native_approval: {
            ...{ timeout: 10, needed_approvers: 2, reject_or_approve: "approve", instance_code: "" },
            ...{ approve_users: users, flat_approve_users: users },
          },
        },
      });
      expect(jobOf(task, "deploy")).toMatchObject({
        ...common,
        ...{ name: jobNames.deploy, key: "deploy.web", display_name: "deploy-web", type: "zadig-deploy" },
        job_info: { job_name: "deploy", service_name: "web" },
        spec: {
          ...{ env: "dev", env_alias: "", production: false, service_type: "k8s", deploy_contents: ["image"] },
          ...{ skip_check_run_status: false, is_import_to_deploy: false, user_supplied_value: "" },
          ...{ variable_kvs: [], origin_revision: 1, value_merge_strategy: "" },
          service_and_images: [{ service_name: "web", service_module: "main", image }],
          yaml_content: expect.stringContaining(image),
        },
      });
    });

    test("keeps the logs as they were seen, without any secret", async () => {
      expect((await logOf(jobNames.unit)).trimEnd()).toBe(liveLog);
      const build = await logOf("build.web.main");
      expect(build).toContain(`building ${image} of main with web at main, ${project.commit}\nsign in with ******\n`);
      const everything = JSON.stringify([await tasks.read("ship", taskId), build, liveLog, hooks.received]);
      for (const secret of secrets) expect(everything).not.toContain(secret);
    });

    test("told everybody who asked to be told", async () => {
      const task = await tasks.read("ship", taskId);
      await expectMessages(hooks, { project, task, image, gitAddress: git.url });
    });

    test("stands in the operation log, with what was refused", async () => {
      const path = "/openapi/system/operation?searchType=project&projectKey=shop&perPage=50";
      const { operation_logs } = (await slipway.call<{ operation_logs: Logged[] }>("GET", path)).json;
      const seen = operation_logs.map((one) => [one.username, one.method, one.function, one.detail, one.status]);
      const { lead, ann } = project;
      const started = ["Create", "Workflow Task", "ship"];
      const approved = ["Approve", "Workflow Task", "ship"];
      expect(seen.reverse()).toEqual([
        ["admin", "Add", "Project Management - Project", "Web Shop", 200],
        ["admin", "Create", "Role Binding", `User: ${lead.uid}, Role Name: project-admin`, 200],
        ["admin", "Create", "Role", "Role Name: starter", 200],
        ["admin", "Create", "Role Binding", `User: ${ann.uid}, Role Name: starter`, 200],
        ["Lead", "Add", "Project Management - Test Service", "web", 200],
        ["Lead", "Create", "Test Environment", "dev", 200],
        ["Lead", "Create", "Project Management - Test", "web-unit", 200],
        ["Lead", "Create", "Project Management - Build", "web-image", 200],
        ["Lead", "Add", "Workflow", "ship", 200],
        ["Bob", ...started, 403],
        ["Ann", ...started, 200],
        ["Ann", "Add", "OpenAPI - Test Task", "web-unit-job", 200],
        ["Ann", ...approved, 400],
        ["Bob", ...approved, 200],
        ["Bob", ...approved, 400],
        ["Cem", ...approved, 200],
        ["Dora", ...approved, 400],
      ]);
    });
  });
}
