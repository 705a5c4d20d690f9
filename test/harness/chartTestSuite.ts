import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type HelmCommand,
  helmCommand,
  makeChartEnvironment,
  makeChartProject,
  readStoredChart,
  storedStatusOf,
  untilChanged,
} from "./chartProject.ts";
import type { Standing } from "./environmentSuite.ts";
import { chartFiles, packedChart } from "./packedChart.ts";
import type { Answer, Slipway } from "./slipway.ts";
import { waitFor } from "./waitFor.ts";

interface Run {
  status: string;
  version: number;
  tested_by: string;
  started_at: number;
  ended_at: number;
  error: string;
  tests: { kind: string; name: string; status: string; message: string }[];
}
interface Detail {
  status: string;
  stored_status: string;
  error: string;
  services: { service_name: string; status: string; test?: Run }[];
}

const hook = (policy = "") => `annotations: {helm.sh/hook: test${policy}}`;

/** A pod, a Job and a Pod again, by name the order in which Helm runs them. */
const files = {
  ...chartFiles("1.0.0"),
  "templates/tests/settings.yaml": `apiVersion: v1
kind: Pod
metadata:
  name: {{ .Release.Name }}-a-settings
  ${hook()}
spec:
  restartPolicy: Never
  containers:
    - {name: main, image: "busybox:1", command: [sh, -c, {{ .Values.settings | default "true" | quote }}]}
`,
  "templates/prepare.yaml": `{{- if .Values.unprepared }}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-prepare
  annotations: {helm.sh/hook: pre-install}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "busybox:1", command: ["false"]}]
{{- end }}
`,
  "templates/tests/answers.yaml": `apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-b-answers
  ${hook()}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 1
      containers:
        - {name: ask, image: "busybox:1", command: [sh, -c, {{ .Values.ask | default "true" | quote }}]}
`,
  "templates/tests/last.yaml": `apiVersion: v1
kind: Pod
metadata:
  name: {{ .Release.Name }}-c-last
  ${hook(', helm.sh/hook-delete-policy: "before-hook-creation,hook-failed"')}
spec:
  restartPolicy: Never
  containers: [{name: main, image: "busybox:1", command: [sh, -c, {{ .Values.last | default "true" | quote }}]}]
`,
};

/** Tests that charts bring, run when they are asked for: the same wherever commands of pods really run. */
export function chartTestSuite(cluster: string, open: () => Promise<Standing>): void {
  describe(`the tests of a chart's release on ${cluster}`, () => {
    const namespace = `slipway-test-tests-${randomBytes(3).toString("hex")}`;
    let slipway: Slipway;
    let command: HelmCommand;

    beforeAll(async () => {
      const standing = await open();
      slipway = standing.slipway;
      command = helmCommand(standing.kubeconfig);
      await makeChartProject(slipway, "tested", files);
      await readStoredChart(slipway, "tested", { service_name: "web" });
      await readStoredChart(slipway, "tested", { service_name: "later" });
      await makeChartEnvironment(slipway, "tested", { env_name: "dev", namespace });
      await untilChanged(slipway, "tested", "dev");
    });

    afterAll(async () => {
      await slipway.call("DELETE", "/openapi/environments/dev?projectKey=tested&isDelete=true");
      await waitFor("the environment to go", async () => {
        return (await storedStatusOf(slipway, "tested", "dev")) === undefined;
      });
      command.close();
      await slipway.close();
    });

    beforeEach(async () => {
      await deploy({ service_name: "web" });
      await untilChanged(slipway, "tested", "dev");
    });

    function deploy(service: object): Promise<Answer<unknown>> {
      const body = { services: [{ values_yaml: "{}", ...service }] };
      return slipway.call("POST", "/openapi/environments/helm/dev/services?projectKey=tested", { body });
    }

    const path = (service = "web", rest = "") =>
      `/openapi/environments/dev/service/${service}/test?projectKey=tested${rest}`;
    const ask = (service?: string, rest?: string) => slipway.call<object>("POST", path(service, rest));
    const detail = async () => (await slipway.call<Detail>("GET", "/openapi/environments/dev?projectKey=tested")).json;
    const runOf = async (service = "web") =>
      (await detail()).services.find(({ service_name }) => service_name === service)?.test;

    async function tested(): Promise<Run> {
      const asked = await ask();
      expect(asked.text).toBe('{"message":"success"}');
      // Never what an earlier run came to.
      expect(await runOf()).toMatchObject({ tested_by: "admin" });
      const run = await waitFor("the tests to end", async () => {
        const now = await runOf();
        return now?.status === "running" ? undefined : now;
      });
      await untilChanged(slipway, "tested", "dev");
      return run;
    }

    test("run one after another and are told with the service, the environment as before", async () => {
      const before = await detail();
      const run = await tested();
      expect(run).toMatchObject({ status: "passed", error: "", tested_by: "admin" });
      expect(run.tests).toMatchObject([
        { kind: "Pod", name: "web-a-settings", status: "passed", message: "" },
        { kind: "Job", name: "web-b-answers", status: "passed", message: "" },
        { kind: "Pod", name: "web-c-last", status: "passed", message: "" },
      ]);
      expect(run.ended_at).toBeGreaterThanOrEqual(run.started_at);
      const history = JSON.parse(await command.run(namespace, "history", "web", "-o", "json"));
      expect(history.at(-1)).toMatchObject({ revision: run.version, status: "deployed" });
      const { status, stored_status, error } = before;
      expect(await detail()).toMatchObject({ status, stored_status, error });
      const instance = await slipway.call<{ test: Run }>(
        "GET",
        "/openapi/environments/dev/services/web?projectKey=tested",
      );
      expect(instance.json.test).toEqual(run);
    });

    test("that fail say which one and why, those behind it are not run, and the environment has not failed", async () => {
      await deploy({ service_name: "web", values_yaml: `ask: echo web did not answer; exit 3` });
      await untilChanged(slipway, "tested", "dev");
      expect(await runOf()).toBeUndefined();
      const run = await tested();
      expect(run).toMatchObject({ status: "failed", error: "" });
      expect(run.tests.map(({ name, status }) => [name, status])).toEqual([
        ["web-a-settings", "passed"],
        ["web-b-answers", "failed"],
        ["web-c-last", "skipped"],
      ]);
      expect(run.tests[1]?.message).toMatch(/container ask .*exit code 3.*web did not answer/);
      await waitFor("the service to run", async () => (await detail()).services[0]?.status === "running");
      expect(await detail()).toMatchObject({ stored_status: "success", error: "" });
      const again = await tested();
      expect(again.tests.map(({ status }) => status)).toEqual(["passed", "failed", "skipped"]);
    });

    test("whose pod fails tell its exit code and the last that it said, and pass once that is mended", async () => {
      await deploy({ service_name: "web", values_yaml: `settings: echo no settings were found; exit 5` });
      await untilChanged(slipway, "tested", "dev");
      const run = await tested();
      expect(run.tests.map(({ status }) => status)).toEqual(["failed", "skipped", "skipped"]);
      expect(run.tests[0]?.message).toMatch(/container main .*exit code 5.*no settings were found/);
      // Helm tells the same.
      const status = JSON.parse(await command.run(namespace, "status", "web", "-o", "json")) as {
        hooks: { name: string; last_run: { phase: string } }[];
      };
      const phase = status.hooks.find(({ name }) => name === "web-a-settings")?.last_run.phase;
      expect(phase).toBe("Failed");
      await deploy({ service_name: "web" });
      await untilChanged(slipway, "tested", "dev");
      expect((await tested()).tests.map(({ status: one }) => one)).toEqual(["passed", "passed", "passed"]);
    });

    test("whose pod its chart takes away at once say so", async () => {
      await deploy({ service_name: "web", values_yaml: "last: exit 4" });
      await untilChanged(slipway, "tested", "dev");
      const { tests } = await tested();
      expect(tests[2]).toMatchObject({ name: "web-c-last", status: "failed" });
      expect(tests[2]?.message).toContain("helm.sh/hook-delete-policy");
    });

    test("are forgotten with the next version", async () => {
      await tested();
      await deploy({ service_name: "web", values_yaml: "color: red" });
      await untilChanged(slipway, "tested", "dev");
      expect(await runOf()).toBeUndefined();
    });

    test("leave a failed environment failed, with its reason", async () => {
      await deploy({ service_name: "later", values_yaml: "unprepared: true" });
      await untilChanged(slipway, "tested", "dev");
      const { error } = await detail();
      expect(error).toContain("service later: ");
      expect(await tested()).toMatchObject({ status: "passed" });
      expect(await storedStatusOf(slipway, "tested", "dev")).toBe("failed");
      expect((await detail()).error).toBe(error);
      await slipway.call("DELETE", "/openapi/environments/service/yaml?projectKey=tested", {
        body: { env_key: "dev", service_names: ["later"] },
      });
      await untilChanged(slipway, "tested", "dev");
    });

    test("are shown by a dry run, which runs none", async () => {
      const { json, status } = await slipway.call<{ objects: object[] }>("POST", path("web", "&dryRun=true"));
      expect(status).toBe(200);
      expect(json.objects).toMatchObject([
        {
          kind: "Pod",
          name: "web-a-settings",
          action: "create",
          note: "a test, from web/templates/tests/settings.yaml",
        },
        { kind: "Job", name: "web-b-answers" },
        { kind: "Pod", name: "web-c-last" },
      ]);
      expect(await runOf()).toBeUndefined();
    });

    test("run while nothing else changes the environment, and are called off by its deletion", async () => {
      await deploy({ service_name: "web", values_yaml: "ask: sleep 60" });
      await untilChanged(slipway, "tested", "dev");
      expect((await ask()).status).toBe(200);
      const other = await deploy({ service_name: "web", values_yaml: "color: blue" });
      // It waited for the test as long as a call may.
      expect(other.status, other.text).toBe(409);
      expect(other.text).toContain("updating");
      expect(await ask()).toMatchObject({ status: 400, json: { code: 6076 } });
      expect(await runOf()).toMatchObject({ status: "running", ended_at: 0, tests: [] });
      expect((await slipway.call("DELETE", "/openapi/environments/dev?projectKey=tested&isDelete=true")).status).toBe(
        200,
      );
      await waitFor("the environment to go", async () => {
        return (await storedStatusOf(slipway, "tested", "dev")) === undefined;
      });
      await makeChartEnvironment(slipway, "tested", { env_name: "dev", namespace });
      await untilChanged(slipway, "tested", "dev");
    });

    test("are refused where there is nothing to test", async () => {
      expect(await ask("nothing")).toMatchObject({ status: 404 });
      await deploy({ service_name: "later", deploy_strategy: "draft" });
      const draft = await ask("later");
      expect(draft).toMatchObject({ status: 400, json: { code: 6076 } });
      expect(draft.text).toContain("service later has no release in the cluster");
      const production = "/openapi/environments/production/dev/service/web/test?projectKey=tested";
      expect(await slipway.call("POST", production)).toMatchObject({ status: 404 });
      expect(await slipway.call("POST", "/openapi/environments/dev/service/web/test")).toMatchObject({ status: 400 });
      await deployPlain();
      const without = await ask("plain");
      expect(without).toMatchObject({ status: 400, json: { code: 6076 } });
      expect(without.text).toContain("brings no tests");
    });

    async function deployPlain(): Promise<void> {
      await slipway.call("POST", "/api/aslan/template/charts", { body: { name: "plain", source: "upload" } });
      const content = (await packedChart(chartFiles("1.0.0"))).toString("base64");
      await slipway.call("POST", "/api/aslan/template/charts/plain/upload", { body: { content } });
      await readStoredChart(slipway, "tested", { service_name: "plain", template_name: "plain" });
      await deploy({ service_name: "plain" });
      await untilChanged(slipway, "tested", "dev");
    }
  });
}
