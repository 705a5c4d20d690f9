import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { detailOf } from "./boutique.ts";
import {
  type HelmCommand,
  helmCommand,
  makeChartEnvironment,
  makeChartProject,
  readStoredChart,
  untilChanged,
} from "./chartProject.ts";
import type { Version } from "./deployJobSuite.ts";
import type { Standing } from "./environmentSuite.ts";
import { chartFiles, packedChart } from "./packedChart.ts";
import type { Slipway } from "./slipway.ts";
import { makeWorkflow, type ShownJob, tasksOf } from "./tasks.ts";
import { startDoor } from "./testRegistry.ts";
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

/** What a preview of a release plan tells of jobs. */
interface PlanPreview {
  jobs?: {
    deploys: {
      services: {
        modules: object[];
        differences: { kind: string; action: string; diff: string }[];
        notes: string[];
      }[];
    }[];
  }[];
}

/** Jobs that deploy charts, told by Helm itself: the same on every cluster. */
export function chartJobSuite(cluster: string, open: () => Promise<Standing>): void {
  let slipway: Slipway;
  let command: HelmCommand;
  let tasks: ReturnType<typeof tasksOf>;
  let door: Awaited<ReturnType<typeof startDoor>>;
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
        await readStoredChart(slipway, "ships", { service_name, production, values_yaml: "color: green" });
    await makeChartEnvironment(slipway, "ships", { env_name: "dev", namespace: place("dev") });
    await makeChartEnvironment(slipway, "ships", { env_name: "live", namespace: place("live"), production: true });
    const shelf = new Map<string, Buffer>();
    for (const version of ["1.0.0", "1.1.0"])
      shelf.set(`/charts/web-${version}.tgz`, await packedChart(chartFiles(version)));
    const entries = [...shelf].map(([path, packed]) => {
      const digest = createHash("sha256").update(packed).digest("hex");
      const version = /\d+\.\d+\.\d+/.exec(path)?.[0];
      return `    - {name: web, version: ${version}, urls: [web-${version}.tgz], digest: ${digest}}\n`;
    });
    shelf.set("/charts/index.yaml", Buffer.from(`apiVersion: v1\nentries:\n  web:\n${entries.join("")}`));
    door = await startDoor(({ url = "" }, response) =>
      response.writeHead(shelf.has(url) ? 200 : 404).end(shelf.get(url)),
    );
    const registered = { repo_name: "shelf", type: "http", url: `http://${door.address}/charts` };
    expect((await slipway.call("POST", "/api/aslan/system/helm", { body: registered })).status).toBe(200);
    for (const env of ["dev", "live"]) await untilChanged(slipway, "ships", env);
  });

  afterAll(async () => {
    command.close();
    await slipway.close();
    await door.close();
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

    test("the runtime name of a deployment of charts is a name for it", async () => {
      const spec = { env: "dev", deploy_contents: ["image"], services: [web("v5")] };
      const { jobs } = await run("alias", [{ name: "ship", type: "zadig-helm-deploy", spec } as never]);
      expect(jobs[0]).toMatchObject({ status: "passed", error: "", type: "zadig-helm-deploy" });
      expect(await values()).toContain("tag: v5");
    });

    test("the image of one container of a chart is a value of its release", async () => {
      const custom = (name: string, target: string, image: string) =>
        run(name, [
          {
            ...{ name: "custom", type: "custom-deploy" },
            spec: { namespace: place("dev"), source: "fixed", targets: [{ target, image }] },
          } as never,
        ]);
      const before = (await history()).length;
      const { jobs, id } = await custom("custom", "Deployment/web/main", `${repository}:v6`);
      expect(jobs[0]).toMatchObject({ status: "passed", error: "" });
      expect(await values()).toContain("tag: v6");
      expect((await history()).length).toBe(before + 1);
      expect((await versions())[0]).toMatchObject({
        ...{ operation: "deploy", workflow_key: "custom", task_id: id, images: [`${repository}:v6`] },
      });
      const wrong = await custom("custom-wrong", "Deployment/web/other", `${repository}:v7`);
      expect(wrong.jobs[0]).toMatchObject({ status: "failed", error: expect.stringContaining('container "other"') });
    });

    test("charts of a repository are installed and upgraded as releases of their own", async () => {
      const chart = (more: object = {}) => ({
        ...{ release_name: "shop", chart_repo: "shelf", chart_name: "web", chart_version: "^1.0.0", ...more },
      });
      const ship = (name: string, one: object) =>
        run(name, [
          { name: "ship", type: "zadig-helm-chart-deploy", spec: { env: "dev", deploy_helm_charts: [one] } } as never,
        ]);
      const first = await ship(
        "shelf-one",
        chart({ values_yaml: "color: blue", override_kvs: '[{"key":"image.tag","value":"v8"}]' }),
      );
      expect(first.jobs[0]).toMatchObject({ status: "passed", error: "" });
      expect(await values("shop")).toMatch(/color: blue[\s\S]*tag: v8/);
      const listed = JSON.parse(await command.run(place("dev"), "list", "-o", "json")) as {
        name: string;
        chart: string;
      }[];
      expect(listed.find(({ name }) => name === "shop")).toMatchObject({ chart: "web-1.1.0", status: "deployed" });
      const { services } = await detailOf(slipway, "ships", "dev");
      expect(services.find(({ service_name }) => service_name === "shop")).toMatchObject({
        ...{ type: "helm_chart", status: "running", error: "", chart: { name: "web", version: "1.1.0" } },
      });
      const second = await ship("shelf-two", chart({ chart_version: "1.0.0" }));
      expect(second.jobs[0]).toMatchObject({ status: "passed", error: "" });
      expect(await values("shop")).not.toContain("blue");
      expect(await versions("shop")).toMatchObject([{ revision: 2 }, { revision: 1 }]);
      const tells =
        "{{.job.ship.told.output.VERSION}} {{.job.ship.told.web.output.imageTag}} {{.job.ship.told.status}} {{.job.ship.envName}}";
      const specOf = (one: object) => ({ env: "dev", deploy_helm_charts: [one] });
      const third = await run("shelf-three", [
        {
          ...{ name: "ship", type: "zadig-helm-chart-deploy" },
          spec: specOf(chart({ release_name: "told", values_yaml: "image: {tag: v9}" })),
        },
        {
          ...{ name: "next", type: "zadig-helm-chart-deploy" },
          spec: specOf(chart({ release_name: "hears", values_yaml: `color: "${tells}"` })),
        },
      ] as never[]);
      expect(third.jobs.map(({ status, error }) => [status, error])).toEqual(Array(2).fill(["passed", ""]));
      expect(await values("hears")).toContain("color: 1.1.0 v9 passed dev");
      const cases: [string, object, RegExp][] = [
        ["shelf-service", chart({ release_name: "web" }), /web is a service of project ships/],
        ["shelf-none", chart({ chart_repo: "nowhere" }), /chart repository nowhere does not exist/],
        ["shelf-version", chart({ chart_version: "9.9.9" }), /no version of chart web 9\.9\.9/],
        ["shelf-fails", chart({ values_yaml: "fail: true" }), /asked to fail/],
      ];
      const before = await history("shop");
      for (const [name, one, error] of cases) {
        const { jobs } = await ship(name, one);
        expect(jobs[0], name).toMatchObject({ status: "failed", error: expect.stringMatching(error) });
      }
      expect(await history("shop")).toEqual(before);
      const spec = { env: "dev", deploy_helm_charts: [chart({ release_name: "No_Name" })] };
      const jobs = [{ name: "ship", type: "zadig-helm-chart-deploy", spec }] as never[];
      const path = "/openapi/workflows/custom";
      const workflow = { name: "shelf-name", project: "ships", stages: [{ name: "ship", jobs }] };
      const refused = await slipway.call("POST", path, { body: workflow });
      expect(refused.text).toContain("lower-case letters");
      expect(refused.status).toBe(400);
    });

    test("a preview shows what a chart of a repository would change, and changes nothing", async () => {
      const plans = "/openapi/release_plan/v1";
      const look = async (name: string, more: object) => {
        const one = { release_name: "shop", chart_repo: "shelf", chart_name: "web", chart_version: "1.0.0", ...more };
        const spec = { env: "dev", deploy_helm_charts: [one] };
        const jobs = [{ name: "ship", type: "zadig-helm-chart-deploy", spec }] as never[];
        await makeWorkflow("ships", { name, stages: [{ name: "ship", jobs }] });
        const body = { name, manager: "admin", manager_identity_type: "system" };
        const { id } = (await slipway.call<{ id: string }>("POST", plans, { body })).json;
        const inputs = [{ job_name: "ship", parameters: {} }];
        const runs = { name, type: "workflow", spec: { workflow_key: name, project_key: "ships", inputs } };
        await slipway.call("PATCH", `${plans}/${id}`, { body: { ...body, jobs: [runs] } });
        const { text, json } = await slipway.call<PlanPreview>("POST", `${plans}/${id}/preview`);
        await slipway.call("DELETE", `${plans}/${id}`);
        const shown = json.jobs?.[0]?.deploys[0]?.services[0];
        if (shown === undefined) throw new Error(text);
        return shown;
      };
      const [before, standing] = [await history("shop"), await values("shop")];
      const same = await look("look-same", {});
      expect(same.differences.map(({ action }) => action)).toEqual(same.differences.map(() => "unchanged"));
      expect(same.notes).toEqual([]);

      const other = await look("look-other", { chart_version: "", override_kvs: [{ key: "image.tag", value: "v9" }] });
      expect(other).toMatchObject({ service_name: "shop", action: "deploys chart web of chart repository shelf" });
      expect(other.notes).toEqual(["the newest version now is 1.1.0; the run takes what is newest then"]);
      expect(other.modules).toMatchObject([{ name: "web", next: expect.stringMatching(/:v9$/) }]);
      const deployment = other.differences.find(({ kind }) => kind === "Deployment");
      expect(deployment).toMatchObject({ name: "shop", action: "change" });
      expect(deployment?.diff).toMatch(/^\+.*image: .*:v9$/m);

      const first = await look("look-first", { release_name: "kiosk" });
      expect(first.differences).toContainEqual(expect.objectContaining({ kind: "Deployment", action: "create" }));

      const late = "{{.workflow.task.creator}}";
      const unknown = await look("look-late", { values_yaml: `color: ${late}` });
      expect(unknown).toMatchObject({ differences: [], modules: [] });
      expect(unknown.notes).toEqual([`what values_yaml holds is known only when the task runs: ${late}`]);
      const cases: [string, object, RegExp][] = [
        ["look-service", { release_name: "web" }, /web is a service of project ships/],
        ["look-none", { chart_repo: "nowhere" }, /chart repository nowhere does not exist/],
        ["look-version", { chart_version: "9.9.9" }, /no version of chart web 9\.9\.9/],
        ["look-fails", { values_yaml: "fail: true" }, /asked to fail/],
      ];
      for (const [name, more, error] of cases)
        expect(await look(name, more), name).toMatchObject({ differences: [], error: expect.stringMatching(error) });
      expect([await history("shop"), await values("shop")]).toEqual([before, standing]);
      expect((await releases()).map(({ name }) => name)).not.toContain("kiosk");
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
          spec: { env_type: "test", env_name: "dev", services: ["web", "api", "shop", "told", "hears"] },
        } as never,
      ]);
      expect(jobs[0]).toMatchObject({ status: "passed", error: "" });
      expect(await releases()).toEqual([]);
      expect((await releases("live")).map(({ name }) => name)).toEqual(["web"]);
    });
  });
}
