import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { localClusterId } from "../harness/boutique.ts";
import { type HelmCommand, helmCommand, makeChartProject } from "../harness/chartProject.ts";
import { chartFiles } from "../harness/packedChart.ts";
import { keySigner, signImage } from "../harness/signatures.ts";
import { type Answer, type Slipway, startSlipway } from "../harness/slipway.ts";
import { type Pushed, type pusher, pusherTo } from "../harness/testRegistry.ts";
import { waitFor } from "../harness/waitFor.ts";

const environments = "/openapi/environments/production";
const key = keySigner();
const namespace = "signed-charts";
const repository = "slipway/web";

let slipway: Slipway;
let cluster: ClusterClient;
let helm: HelmCommand;
let host: string;
let push: ReturnType<typeof pusher>;
const images = new Map<string, Pushed>();

/** Runs before each upgrade, and stays. */
const hook = `apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-check
  annotations: {helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: before-hook-creation}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: check, image: "{{ .Values.image.repository }}:{{ .Values.check }}", command: ["true"]}]
`;

const call = (method: string, path: string, body?: object): Promise<Answer<{ code: number; description: string }>> =>
  slipway.call(method, `${path}${path.includes("?") ? "&" : "?"}projectKey=shop`, body === undefined ? {} : { body });
const name = (tag: string) => `${host}/${repository}:${tag}`;
const pinned = (tag: string, image = images.get(tag)) => `${name(tag)}@${image?.digest}`;
const values = (tag: string, check = "v1", color = "grey") =>
  `image: {repository: "${host}/${repository}", tag: ${tag}}\ncheck: ${check}\ncolor: ${color}\n`;

async function ok(answer: Promise<Answer>): Promise<void> {
  const { status, text } = await answer;
  expect(status, text).toBe(200);
}

const deploy = (values_yaml: string, query = "") =>
  call("POST", `/openapi/environments/helm/live/services${query}`, {
    services: [{ service_name: "web", values_yaml }],
  });

/** Images of the workload and of the hook, as they are in the cluster. */
async function running(): Promise<string[]> {
  const workload = await cluster.get({ apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace });
  const check = await cluster.get({ apiVersion: "batch/v1", kind: "Job", name: "web-check", namespace });
  const imageOf = (spec: unknown) => String((at(spec as object, ["containers"]) as { image: string }[])[0]?.image);
  return [imageOf(at(workload, ["spec", "template", "spec"])), imageOf(at(check, ["spec", "template", "spec"]))];
}

const untilRunning = (...expected: string[]) =>
  waitFor(`${expected.join(", ")} to run`, async () => {
    if (String(await running().catch(() => [])) !== String(expected)) return false;
    return (await settledError()) !== undefined;
  });

/** What the environment says of the service once nothing is under way. */
async function settledError(): Promise<string | undefined> {
  const { json } = await slipway.call<{ stored_status: string; services: { error: string }[] }>(
    "GET",
    `${environments}/live?projectKey=shop`,
  );
  return ["success", "failed"].includes(json.stored_status) ? (json.services[0]?.error ?? "") : undefined;
}

async function refused(answer: Promise<Answer<{ code: number; description: string }>>, tag: string) {
  const { json } = await answer;
  expect(json.code).toBe(6076);
  expect(json.description).toContain(`image ${name(tag)} is refused: it has no signature (${images.get(tag)?.digest})`);
}

beforeAll(async () => {
  slipway = await startSlipway({ podDelayMilliseconds: 0 });
  const text = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  cluster = connect({ kind: "kubeconfig", text, trusted: true });
  helm = helmCommand(text);
  host = new URL(slipway.runtime.registryAddress).host;
  push = pusherTo(slipway.runtime);
  for (const tag of ["v1", "v2", "v3", "bad"]) {
    const image = await push.image(repository, tag);
    images.set(tag, image);
    if (tag !== "bad") await signImage(push, { repository, image, signer: key }, "old");
  }
  await makeChartProject(slipway, "shop", { ...chartFiles("1.0.0"), "templates/check.yaml": hook });
  const service = { service_name: "web", template_name: "web", production: true, values_yaml: values("v1") };
  await ok(call("POST", "/openapi/service/template/load/helm", service));
  const registry_id = "0123456789abcdef12345679";
  const environment = { env_name: "live", cluster_id: localClusterId, namespace, production: true, registry_id };
  await ok(call("POST", "/openapi/environments/helm", environment));
  await waitFor("the environment to stand", async () => (await settledError()) !== undefined);
  // Deployed once before signatures were demanded.
  await ok(deploy(values("bad")));
  await untilRunning(name("bad"), name("v1"));
  await ok(call("PUT", "/openapi/projects/project/verification", { enabled: true, public_key: key.publicKey }));
});

afterAll(async () => {
  helm.close();
  cluster.close();
  await slipway.close();
});

test("a chart is refused with an image that nobody signed, in a hook too, and what runs stays", async () => {
  await refused(deploy(values("bad")), "bad");
  await refused(deploy(values("v1", "bad")), "bad");
  await refused(deploy(values("v1", "bad"), "?dryRun=true"), "bad");
  expect(await running()).toEqual([name("bad"), name("v1")]);
});

test("a chart runs with the digests that were signed, and its hooks do", async () => {
  await ok(deploy(values("v1")));
  await untilRunning(pinned("v1"), pinned("v1"));
  expect(await helm.run(namespace, "get", "manifest", "web")).toContain(pinned("v1"));
  expect(await helm.run(namespace, "get", "values", "web", "-o", "json")).toContain('"tag":"v1"');
});

test("a tag that moves changes nothing of what stands, and other values keep its digest", async () => {
  await push.image(repository, "v1");
  await ok(deploy(values("v1")));
  await untilRunning(pinned("v1"), pinned("v1"));
  await ok(deploy(values("v2", "v1", "blue")));
  await untilRunning(pinned("v2"), pinned("v1"));
  const { revision } = JSON.parse(await helm.run(namespace, "list", "-o", "json"))[0];
  await ok(deploy(values("v2", "v1", "blue")));
  await waitFor("the change to end", async () => (await settledError()) !== undefined);
  expect(JSON.parse(await helm.run(namespace, "list", "-o", "json"))[0].revision).toBe(revision);
});

test("a new image by name is checked and pinned", async () => {
  const update = (tag: string) =>
    call("POST", "/openapi/environments/image/deployment/live", {
      ...{ product_name: "shop", service_name: "web", workload_name: "web", container_name: "main", image: name(tag) },
    });
  expect((await update("bad")).json.description).toContain(`image ${name("bad")} is refused`);
  await ok(update("v3"));
  await untilRunning(pinned("v3"), pinned("v1"));
});

test("a rollback brings the digests of then, and refuses a version whose images nobody knows", async () => {
  const versions = `${environments}/live/service/web/versions`;
  const list = (await call("GET", versions)).json as unknown as { revision: number; images: string[] }[];
  const oldest = list.at(-1)?.revision ?? 0;
  const back = (revision: number) => call("POST", `${versions}/${revision}/rollback`);
  const unknown = await back(oldest);
  expect(unknown.json.code, unknown.text).toBe(6079);
  expect(unknown.json.description).toContain("before project shop demanded signed images");
  await ok(back(oldest + 1));
  await untilRunning(pinned("v1"), pinned("v1"));
});
