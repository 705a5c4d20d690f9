import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { connect } from "../../../../shared/kube/client/connect.ts";
import { untilStatus } from "../../../harness/boutique.ts";
import {
  type HelmCommand,
  helmCommand,
  makeChartEnvironment,
  makeChartProject,
  readStoredChart,
  untilChanged,
} from "../../../harness/chartProject.ts";
import { defineIstio } from "../../../harness/istioDefinitions.ts";
import { chartFiles, packedChart } from "../../../harness/packedChart.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { waitFor } from "../../../harness/waitFor.ts";

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

interface Refusal {
  code: number;
  description: string;
}

const environments = "/openapi/environments";
const templates = "/api/aslan/template/charts";

/** Does what its values say: a hook that fails, an object elsewhere, a test that takes its time. */
const files = {
  ...chartFiles("1.0.0"),
  "templates/hook.yaml": `{{- if .Values.breaks }}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-migrate
  annotations: {helm.sh/hook: "pre-install,pre-upgrade"}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "busybox:1", command: [sh, -c, "echo no migration; exit 3"]}]
{{- end }}
`,
  "templates/elsewhere.yaml": `{{- with .Values.elsewhere }}
apiVersion: v1
kind: ConfigMap
metadata: {name: stray, namespace: {{ . }}}
{{- end }}
`,
  "templates/tests/slow.yaml": `apiVersion: v1
kind: Pod
metadata:
  name: {{ .Release.Name }}-slow
  annotations: {helm.sh/hook: test}
spec:
  restartPolicy: Never
  containers: [{name: main, image: "busybox:1", command: [sleep, "60"]}]
`,
};

/** An entry of an archive that is no file. */
async function withLink(type: "symlink" | "link"): Promise<Buffer> {
  const head = Buffer.from("apiVersion: v2\nname: web\nversion: 1.0.0\n");
  return gzipSync(
    await packTar([
      { header: { name: "web/Chart.yaml", size: head.length }, body: head },
      { header: { name: "web/values.yaml", size: 0, type, linkname: "/etc/passwd" } },
    ]),
  );
}

const large = (bytes: number) => packedChart({ ...files, "data.bin": Buffer.alloc(bytes) });
const many = () =>
  packedChart(Object.fromEntries(Array.from({ length: 2001 }, (_, at) => [`templates/${at}.txt`, ""])));

let slipway: Slipway;
let command: HelmCommand;

const call = <T = Refusal>(method: string, path: string, body?: unknown, project = "bad") =>
  slipway.call<T>(method, `${path}${path.includes("?") ? "&" : "?"}projectKey=${project}`, {
    ...(body !== undefined && { body }),
  });
const deploy = (service: object, env = "dev") =>
  call("POST", `${environments}/helm/${env}/services`, { services: [{ service_name: "web", ...service }] });
const until = (env: string) => untilChanged(slipway, "bad", env);
const errorOf = async (env: string) => (await call<{ error: string }>("GET", `${environments}/${env}`)).json.error;
const upload = (name: string, content: Buffer) =>
  call("POST", `${templates}/${name}/upload`, { content: content.toString("base64") });
/** A template of this chart, taken as it is. */
const template = async (name: string, chart: Record<string, string>) => {
  await call("POST", templates, { name, source: "upload" });
  expect((await upload(name, await packedChart(chart))).status).toBe(200);
};
const load = (template_name: string, more: object = {}) =>
  call("POST", "/openapi/service/template/load/helm", { service_name: "worse", template_name, ...more });

/** Everything that a refusal must leave as it was: library, service, release and environment. */
async function standing() {
  const services = await call("GET", "/openapi/service/yaml/services");
  const detail = await call<{ stored_status: string; error: string }>("GET", `${environments}/dev`);
  return {
    template: (await call("GET", `${templates}/web`)).text,
    services: services.text,
    history: await command.run("bad-dev", "history", "web", "-o", "json"),
    values: await command.run("bad-dev", "get", "values", "web"),
    environment: [detail.json.stored_status, detail.json.error],
  };
}

async function expectRefused(
  ask: () => Promise<{ status: number; json: Refusal; text: string }>,
  [code, words]: readonly [number, string | RegExp],
): Promise<void> {
  const before = await standing();
  const { status, json, text } = await ask();
  expect([status, json.code], text).toEqual([400, code]);
  expect(json.description).toMatch(words);
  // Neither our addresses nor Helm's own words.
  expect(text).not.toMatch(/127\.0\.0\.1|chart\.tgz|Error: |\/tmp\//);
  expect(await standing()).toEqual(before);
}

beforeAll(async () => {
  slipway = await startSlipway({ podDelayMilliseconds: 0 });
  const kubeconfig = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  command = helmCommand(kubeconfig);
  const client = connect({ kind: "kubeconfig", text: kubeconfig, trusted: true });
  await defineIstio(client).finally(() => client.close());
  await makeChartProject(slipway, "bad", files);
  await readStoredChart(slipway, "bad", { service_name: "web" });
  await makeChartEnvironment(slipway, "bad", { env_name: "dev", namespace: "bad-dev" });
  await until("dev");
  expect((await deploy({ values_yaml: "color: green" })).status).toBe(200);
  await until("dev");
});

afterAll(async () => {
  command.close();
  await slipway.close();
});

describe("a chart that is none is refused when it comes", () => {
  test.each([
    ["no archive", async () => Buffer.from("<html>"), "no packed chart"],
    ["half an archive", async () => (await packedChart(files)).subarray(0, 200), "cannot be unpacked"],
    ["a bomb", () => large(101 * 1024 * 1024), "more than 104857600 bytes unpacked"],
    ["a symbolic link", () => withLink("symlink"), "may hold plain files only"],
    ["a hard link", () => withLink("link"), "may hold plain files only"],
    ["a path out of it", () => packedChart({ ...files, "../../evil": "x" }), /evil|\.\./],
    ["no Chart.yaml", () => packedChart({ "values.yaml": "a: 1" }), "no Chart.yaml"],
    ["a Chart.yaml that is a list", () => packedChart({ "Chart.yaml": "- a" }), "Chart.yaml is no map"],
    ["2,001 files", many, "more than 2000 files"],
  ])("%s", async (_what, made, words) => {
    const content = await made();
    await expectRefused(() => upload("web", content), [400, words]);
  });
});

describe("a chart that cannot be rendered makes no service", () => {
  test("because it needs a newer Kubernetes", async () => {
    const head = "apiVersion: v2\nname: web\nversion: 1.0.0\nkubeVersion: '>=1.99.0'\n";
    await template("newer", { ...files, "Chart.yaml": head });
    await expectRefused(() => load("newer"), [6058, /Kubernetes|kubeVersion/]);
  });

  test("because its template never ends", async () => {
    const endless = "{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}";
    await template("endless", { ...files, "templates/endless.yaml": endless });
    await expectRefused(() => load("endless"), [6058, /20 s/]);
  });

  test.each([
    ["its schema", "replicaCount: many", 6058, /replicaCount/],
    ["tabs", "image:\n\ttag: v2", 6045, /tab/],
    ["a list for values", "- a", 6045, /map/],
    ["a list for a map", "image: [v2]", 6058, /image|repository/],
    ["two megabytes", `a: ${"x".repeat(2_000_000)}`, 400, /values_yaml/],
  ])("because of its values: %s", async (_what, values_yaml, code, words) => {
    await expectRefused(() => load("web", { values_yaml }), [code, words]);
  });
});

describe("a deployment that cannot work changes nothing", () => {
  test.each([
    ["its schema", { values_yaml: "replicaCount: many" }, /replicaCount/],
    ["tabs", { values_yaml: "image:\n\ttag: v2" }, /tab/],
    ["a list for values", { values_yaml: "- a" }, /map/],
    ["a list for a map", { values_yaml: "image: [v2]" }, /image|repository/],
    ["two megabytes", { values_yaml: `a: ${"x".repeat(2_000_000)}` }, /values_yaml/],
    ["a namespace that is another's", { values_yaml: "elsewhere: kube-system" }, /stray.*kube-system/],
  ])("because of %s", async (_what, service, words) => {
    const before = await standing();
    const { status, json, text } = await deploy(service);
    expect(status, text).toBe(400);
    expect(json.description).toMatch(words);
    expect(text).not.toMatch(/127\.0\.0\.1|chart\.tgz|\/tmp\//);
    expect(await standing()).toEqual(before);
  });

  test("because another environment has a release of that name in its namespace", async () => {
    await makeChartEnvironment(slipway, "bad", { env_name: "beside", namespace: "bad-dev" });
    await until("beside");
    const before = await standing();
    const refused = await deploy({}, "beside");
    expect(refused.status, refused.text).toBe(400);
    expect(refused.json.description).toContain("release web in namespace bad-dev belongs to environment");
    expect(await standing()).toEqual(before);
  });

  test("because a hook of it fails: the release goes back, and why is told", async () => {
    const before = await standing();
    expect((await deploy({ values_yaml: "breaks: true" })).status).toBe(200);
    await until("dev");
    expect(await errorOf("dev")).toMatch(/web-migrate/);
    const history = JSON.parse(await command.run("bad-dev", "history", "web", "-o", "json"));
    expect(history.at(-1)).toMatchObject({ status: "deployed" });
    expect(await command.run("bad-dev", "get", "values", "web")).toBe(before.values);
    expect((await deploy({ values_yaml: "color: green" })).status).toBe(200);
    await until("dev");
    expect(await errorOf("dev")).toBe("");
  });

  test("because another one is under way: each is done whole or refused", async () => {
    const colors = ["red", "blue", "white"];
    const answers = await Promise.all(colors.map((color) => deploy({ values_yaml: `color: ${color}` })));
    await until("dev");
    const refused = answers.filter(({ status }) => status !== 200);
    for (const { status, json } of refused) expect([status, json.code]).toEqual([400, 6076]);
    const accepted = colors.filter((_, at) => answers[at]?.status === 200);
    expect(accepted).not.toEqual([]);
    expect(await errorOf("dev")).toBe("");
    const history = JSON.parse(await command.run("bad-dev", "history", "web", "-o", "json"));
    const statuses: string[] = history.map(({ status }: { status: string }) => status);
    expect([statuses.at(-1), statuses.filter((one) => one.startsWith("pending"))]).toEqual(["deployed", []]);
    const values = await command.run("bad-dev", "get", "values", "web");
    expect(accepted.filter((color) => values.includes(`color: ${color}`))).toHaveLength(1);
    const path = `${environments}/service/values?envName=dev&serviceName=web`;
    for (const color of colors)
      expect((await call("GET", path)).text.includes(`color: ${color}`)).toBe(values.includes(`color: ${color}`));
  });
});

describe("a sub-environment that cannot be", () => {
  const sub = (base: string, more: object = {}) => ({
    ...{ env_name: "sub", namespace: "bad-sub", cluster_id: "0123456789abcdef12345678" },
    ...{ registry_id: "0123456789abcdef12345679", sub_env: { enable: true, base_env: base }, ...more },
  });
  const refusal = async (body: object, project?: string) => {
    const { status, json } = await call("POST", `${environments}/helm`, body, project);
    expect(
      (await call("GET", `${environments}/${(body as { env_name: string }).env_name}`, undefined, project)).status,
    ).toBe(404);
    return [status, json.code, json.description];
  };

  beforeAll(async () => {
    expect((await call("POST", `${environments}/dev/share/enable`)).status).toBe(200);
    await until("dev");
  });

  test("of a base of another project", async () => {
    const project = { project_name: "other", project_key: "other", is_public: false, project_type: "helm" };
    await slipway.call("POST", "/openapi/projects/project", { body: project });
    expect(await refusal(sub("dev"), "other")).toEqual([400, 6074, expect.stringContaining("does not exist")]);
  });

  test("of a sleeping base", async () => {
    expect((await call("POST", `${environments}/dev/sleep`)).status).toBe(200);
    await untilStatus(slipway, "bad", "dev", "sleeping");
    expect(await refusal(sub("dev"))).toEqual([400, 6074, expect.stringContaining("sleeping")]);
    expect((await call("POST", `${environments}/dev/wake`)).status).toBe(200);
    await untilStatus(slipway, "bad", "dev", "running");
  });

  test("of a sub-environment; and a base stays one while its sub-environment changes", async () => {
    expect((await call("POST", `${environments}/helm`, sub("dev"))).status).toBe(200);
    await until("sub");
    const below = sub("sub", { env_name: "below", namespace: "bad-below" });
    expect(await refusal(below)).toEqual([400, 6074, expect.stringContaining("sub-environment itself")]);
    expect((await deploy({}, "sub")).status).toBe(200);
    await until("sub");
    // As long as its test goes on, the sub-environment is in a change.
    expect((await call("POST", `${environments}/sub/service/web/test`)).status).toBe(200);
    const refused = await call("DELETE", `${environments}/dev/share/enable`);
    expect([refused.status, refused.json.code]).toEqual([400, 6076]);
    expect(refused.json.description).toContain("sub-environment sub is updating");
    expect((await call("GET", `${environments}/dev/check/sharenv/enable/ready`)).text).toContain(
      '"virtualservice_deployed":true',
    );
    expect((await call("DELETE", `${environments}/sub?isDelete=true`)).status).toBe(200);
    await waitFor("it to go", async () => (await call("GET", `${environments}/sub`)).status === 404);
  });
});
