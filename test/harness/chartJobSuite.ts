import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { detailOf } from "./boutique.ts";
import {
  type HelmCommand,
  helmCommand,
  loadChart,
  makeChartEnvironment,
  makeChartProject,
  untilChanged,
} from "./chartProject.ts";
import type { Version } from "./deployJobSuite.ts";
import type { Standing } from "./environmentSuite.ts";
import { chartFiles } from "./packedChart.ts";
import type { Slipway } from "./slipway.ts";
import { makeWorkflow, type ShownJob, tasksOf } from "./tasks.ts";
import { waitFor } from "./waitFor.ts";

/** Work before an upgrade that never begins, and fails after so many seconds. */
const hook = `{{- with .Values.hook }}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ $.Release.Name }}-hook
  annotations:
    helm.sh/hook: pre-upgrade
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded,hook-failed
spec:
  backoffLimit: 0
  activeDeadlineSeconds: {{ .seconds }}
  template:
    spec:
      restartPolicy: Never
      containers: [{name: hook, image: "registry.example.com/hook:missing"}]
{{- end }}
`;

const repository = "registry.example.com/team/web";

/** Jobs that deploy charts, told by Helm itself: the same on every cluster. */
export function chartJobSuite(cluster: string, open: () => Promise<Standing>): void {
  let slipway: Slipway;
  let command: HelmCommand;
  let tasks: ReturnType<typeof tasksOf>;
  const suffix = randomBytes(3).toString("hex");
  const place = (env: string) => `slipway-test-charts-${env}-${suffix}`;

  const values = (service = "web", env = "dev") => command.run(place(env), "get", "values", service);
  const history = async (service = "web", env = "dev"): Promise<{ status: string; description: string }[]> =>
    JSON.parse(await command.run(place(env), "history", service, "-o", "json"));
  const releases = async (env = "dev"): Promise<{ name: string; status: string }[]> =>
    JSON.parse(await command.run(place(env), "list", "-o", "json"));
  const versions = async (service = "web", base = "/openapi/environments/dev"): Promise<Version[]> =>
    (await slipway.call<Version[]>("GET", `${base}/service/${service}/versions?projectKey=ships`)).json;

  const job = (name: string, spec: object) => ({ name, type: "zadig-deploy", spec });
  const web = (tag: string, more: object = {}) => ({
    ...{ service_name: "web", modules: [{ service_module: "web", image: `${repository}:${tag}` }] },
    ...more,
  });
  const vars = (more: object, spec: object = {}) =>
    job("ship", { env: "dev", deploy_contents: ["vars"], services: [{ service_name: "web", ...more }], ...spec });

  async function begin(name: string, jobs: readonly { name: string }[], parallel = false): Promise<number> {
    await makeWorkflow("ships", { name, stages: [{ name: "ship", parallel, jobs: [...jobs] as never[] }] });
    return tasks.started(
      name,
      jobs.map((one) => one.name),
    );
  }

  async function run(
    name: string,
    jobs: readonly { name: string }[],
    parallel = false,
  ): Promise<{ status: string; jobs: ShownJob[]; id: number }> {
    const id = await begin(name, jobs, parallel);
    const task = await tasks.end(name, id);
    return { status: task.status, jobs: task.stages.flatMap((stage) => stage.jobs), id };
  }

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    tasks = tasksOf(slipway, "ships");
    command = helmCommand(standing.kubeconfig);
    await makeChartProject(slipway, "ships", { ...chartFiles("1.0.0"), "templates/hook.yaml": hook });
    for (const service_name of ["web", "api"])
      for (const production of [false, true])
        await loadChart(slipway, "ships", { service_name, production, values_yaml: "color: green" });
    await makeChartEnvironment(slipway, "ships", { env_name: "dev", namespace: place("dev") });
    await makeChartEnvironment(slipway, "ships", { env_name: "live", namespace: place("live"), production: true });
    for (const env of ["dev", "live"]) await untilChanged(slipway, "ships", env);
  });

  afterAll(async () => {
    command.close();
    await slipway.close();
  });

  describe(`jobs and charts on ${cluster}`, () => {
    test("an image alone is not deployed where the release is missing; with its configuration it is installed", async () => {
      const alone = await run("alone", [job("ship", { env: "dev", services: [web("v2")] })]);
      expect(alone.jobs[0]).toMatchObject({
        status: "failed",
        error: expect.stringContaining("and an image alone cannot be deployed"),
      });
      expect(await releases()).toEqual([]);
      const contents = { deploy_contents: ["image", "vars", "config"] };
      const whole = await run("whole", [
        job("ship", { env: "dev", ...contents, services: [web("v2", { variable_yaml: "extra: {deep: 1}" })] }),
      ]);
      expect(whole.jobs[0]).toMatchObject({
        status: "passed",
        error: "",
        type: "zadig-deploy",
        name: "job-0-0-0-ship",
      });
      expect(await releases()).toMatchObject([{ name: "web", status: "deployed", revision: "1" }]);
      expect(await values()).toMatch(/color: green[\s\S]*deep: 1[\s\S]*tag: v2/);
      expect(await versions()).toMatchObject([
        { revision: 1, operation: "deploy", workflow_key: "whole", task_id: whole.id, images: [`${repository}:v2`] },
      ]);
      expect(whole.jobs[0]?.spec).toEqual({
        ...{ env: "dev", env_alias: "", production: false, service_type: "helm" },
        ...{ deploy_contents: contents.deploy_contents, skip_check_run_status: false, is_import_to_deploy: false },
        service_and_images: [{ service_name: "web", service_module: "web", image: `${repository}:v2` }],
        yaml_content: expect.stringContaining(`image: ${repository}:v2`),
        ...{ user_supplied_value: "extra: {deep: 1}", variable_kvs: [], origin_revision: 0, value_merge_strategy: "" },
      });
      const { services } = await detailOf(slipway, "ships", "dev");
      expect(services).toMatchObject([{ service_name: "web", type: "helm", status: "running", error: "" }]);
    });

    test("values are laid over those in force, or replace them, as the strategy says", async () => {
      const merged = await run("merged", [vars({ variable_yaml: "extra: {other: 2}" })]);
      expect(merged.jobs[0]).toMatchObject({ status: "passed", spec: { origin_revision: 1 } });
      expect(await values()).toMatch(/color: green[\s\S]*deep: 1\s+other: 2[\s\S]*tag: v2/);
      const keys = {
        override_kvs: '[{"key": "extra.deep", "value": 3}]',
        variable_kvs: [{ key: "color", value: "red" }],
      };
      const single = await run("single", [vars({ ...keys, value_merge_strategy: "reuse-values" })]);
      expect(single.jobs[0]?.spec.variable_kvs).toEqual([
        { key: "color", value: "red", use_global_variable: false },
        { key: "extra.deep", value: 3, use_global_variable: false },
      ]);
      expect(await values()).toMatch(/color: red[\s\S]*deep: 3\s+other: 2[\s\S]*tag: v2/);
      await run("replaced", [vars({ variable_yaml: "color: blue" }, { value_merge_strategy: "override" })]);
      expect(await values()).toContain("color: blue");
      expect(await values()).not.toContain("deep");
      expect((await history()).length).toBe(4);
    });

    test("an image that the chart itself has is deployed where values of the environment name another", async () => {
      await run("named", [vars({ variable_yaml: "image: {tag: v7}" })]);
      const { status } = await run("own", [job("ship", { env: "dev", services: [web("v1")] })]);
      expect(status).toBe("passed");
      expect(await values()).toContain("tag: v1");
      expect((await versions())[0]?.images).toEqual([`${repository}:v1`]);
    });

    test("a job takes the image from the one before into production; releases are deployed side by side", async () => {
      const all = { deploy_contents: ["image", "vars", "config"] };
      const api = { service_name: "api", modules: [{ service_module: "web", image: `${repository}:v3` }] };
      const dev = await run(
        "beside",
        [job("web", { env: "dev", services: [web("v3")] }), job("api", { env: "dev", ...all, services: [api] })],
        true,
      );
      expect(dev.jobs.map(({ status, error }) => [status, error])).toEqual(Array(2).fill(["passed", ""]));
      expect((await releases()).map(({ name }) => name).sort()).toEqual(["api", "web"]);
      const chain = await run("chain", [
        job("dev", { env: "dev", services: [web("v4")] }),
        job("live", { env: "live", production: true, ...all, source: "fromjob", job_name: "dev" }),
        job("again", {
          env: "dev",
          services: [{ ...api, modules: [{ service_module: "web", image: "{{.job.live.web.web.output.IMAGE}}" }] }],
        }),
      ]);
      expect(chain.jobs.map(({ status, error }) => [status, error])).toEqual(Array(3).fill(["passed", ""]));
      for (const [service, env] of [
        ["web", "dev"],
        ["web", "live"],
        ["api", "dev"],
      ])
        expect(await values(service, env)).toContain("tag: v4");
      expect(await versions("web", "/openapi/environments/production/live")).toMatchObject([
        { revision: 1, operation: "deploy", workflow_key: "chain", task_id: chain.id },
      ]);
    });

    test("an upgrade that fails fails the job with its reason, and the release goes back", async () => {
      const before = [await values(), await versions()];
      const { jobs } = await run("broken", [vars({ variable_yaml: "hook: {seconds: 3}\ncolor: grey" })]);
      expect(jobs[0]).toMatchObject({
        status: "failed",
        error: expect.stringMatching(
          /^pre-upgrade hooks failed: .*web-hook[\s\S]*; the release is back at version \d+$/,
        ),
      });
      expect([await values(), await versions()]).toEqual(before);
      expect((await history()).at(-1)).toMatchObject({
        status: "deployed",
        description: expect.stringMatching(/^Rollback to \d+$/),
      });
      const { services } = await detailOf(slipway, "ships", "dev");
      expect(services.find(({ service_name }) => service_name === "web")).toMatchObject({
        status: "running",
        error: "",
      });
    });

    test("a deployment that is cancelled while Helm waits for a hook ends, and the release goes back", async () => {
      const before = [await values(), await versions()];
      const id = await begin("stopped", [vars({ variable_yaml: "hook: {seconds: 600}" })]);
      await waitFor("Helm to wait", async () => (await history()).some(({ status }) => status === "pending-upgrade"));
      const started = Date.now();
      expect((await tasks.cancel("stopped", id)).status).toBe(200);
      const task = await tasks.until("stopped", id, "over", ({ stages }) => stages[0]?.jobs[0]?.status === "cancelled");
      expect(task.status).toBe("cancelled");
      expect(Date.now() - started).toBeLessThan(30_000);
      expect([await values(), await versions()]).toEqual(before);
      expect((await history()).map(({ status }) => status)).not.toContain("pending-upgrade");
    });

    test("what cannot be deployed says why, and touches nothing", async () => {
      const before = await history();
      const cases: [string, object, string | RegExp][] = [
        [
          "module",
          job("ship", {
            env: "dev",
            services: [{ service_name: "web", modules: [{ service_module: "x", image: "x:1" }] }],
          }),
          /^service web has no module x; its modules are: web$/,
        ],
        ["place", vars({ override_kvs: [{ key: "a..b", value: 1 }] }), /override_kvs: a\.\.b names no place in values/],
        ["text", vars({ variable_yaml: "- a list" }), /values must be a map of keys/],
        ["schema", vars({ variable_yaml: "replicaCount: many" }), /replicaCount/],
        ["template", vars({ variable_yaml: "fail: true" }), /asked to fail/],
      ];
      for (const [name, one, error] of cases) {
        const { jobs } = await run(name, [one as { name: string }]);
        expect(jobs[0], name).toMatchObject({ status: "failed", error: expect.stringMatching(error) });
      }
      expect(await history()).toEqual(before);
      await makeWorkflow("ships", {
        name: "form",
        stages: [{ name: "ship", jobs: [vars({ value_merge_strategy: "replace" })] as never[] }],
      });
      const refused = await tasks.start("form", ["ship"]);
      expect(refused.status).toBe(400);
      expect(refused.text).toContain("value_merge_strategy must be reuse-values or override");
    });

    test("a restart gives the workloads of a release new pods, and Helm's record stays", async () => {
      const before = await history();
      const { jobs } = await run("restart", [
        {
          name: "restart",
          type: "zadig-restart",
          spec: { env: "dev", deploy_type: "helm", services: ["web"] },
        } as never,
      ]);
      expect(jobs[0]).toMatchObject({
        ...{ status: "passed", error: "" },
        spec: { deploy_type: "helm", replace_resources: [{ kind: "Deployment", name: "web" }] },
      });
      expect(await history()).toEqual(before);
    });

    test("a service that is taken out is uninstalled", async () => {
      const { jobs } = await run("offline", [
        {
          name: "offline",
          type: "offline-service",
          spec: { env_type: "test", env_name: "dev", services: ["web", "api"] },
        } as never,
      ]);
      expect(jobs[0]).toMatchObject({ status: "passed", error: "" });
      expect(await releases()).toEqual([]);
      expect((await releases("live")).map(({ name }) => name)).toEqual(["web"]);
    });
  });
}
