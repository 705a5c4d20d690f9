import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { type Detail, localClusterId } from "../harness/boutique.ts";
import { keySigner, signImage } from "../harness/signatures.ts";
import { type Answer, type Slipway, startSlipway } from "../harness/slipway.ts";
import { makeWorkflow, tasksOf } from "../harness/tasks.ts";
import { type Pushed, type pusher, pusherTo } from "../harness/testRegistry.ts";
import { waitFor } from "../harness/waitFor.ts";

const environments = "/openapi/environments/production";
const key = keySigner();
const namespace = "signed-live";
const repository = "slipway/web";

let slipway: Slipway;
let cluster: ClusterClient;
let host: string;
let push: ReturnType<typeof pusher>;
const images = new Map<string, Pushed>();

const call = (method: string, path: string, body?: object): Promise<Answer<{ code: number; description: string }>> =>
  slipway.call(method, `${path}${path.includes("?") ? "&" : "?"}projectKey=shop`, body === undefined ? {} : { body });
const name = (tag: string) => `${host}/${repository}:${tag}`;
const pinned = (tag: string) => `${name(tag)}@${images.get(tag)?.digest}`;

async function ok(answer: Promise<Answer>): Promise<void> {
  expect((await answer).text).toBe('{"message":"success"}');
}

/** A Deployment with an init container, and a Job: both are looked at. */
const yaml = (main: string, init = "v1", color = "red") => `apiVersion: apps/v1
kind: Deployment
metadata: { name: web, labels: { color: ${color} } }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      initContainers: [{ name: prepare, image: "${name(init)}" }]
      containers: [{ name: main, image: "${name(main)}" }]
`;

const save = (text: string) =>
  ok(call("POST", "/openapi/service/yaml/production/raw", { service_name: "web", yaml: text }));
const change = (text: string) => ok(call("PUT", "/openapi/service/yaml/production/web", { type: "k8s", yaml: text }));
const services = { service_list: [{ service_name: "web" }] };

async function running(): Promise<string[]> {
  const live = await cluster.get({ apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace });
  const pod = at(live, ["spec", "template", "spec"]);
  return ["initContainers", "containers"].flatMap((list) =>
    (at(pod, [list]) as { image: string }[]).map(({ image }) => image),
  );
}

/** Waits for the images and for the end of the change that brought them, since another one may be refused before. */
const untilRunning = (...expected: string[]) =>
  waitFor(`${expected.join(", ")} to run`, async () => {
    if (String(await running().catch(() => [])) !== String(expected)) return false;
    const { json } = await slipway.call<Detail>("GET", `${environments}/live?projectKey=shop`);
    return json.stored_status === "success";
  });

async function refused(answer: Promise<Answer<{ code: number; description: string }>>, code: number, tag: string) {
  const { json } = await answer;
  expect(json.code).toBe(code);
  expect(json.description).toContain(`image ${name(tag)} is refused: it has no signature (${images.get(tag)?.digest})`);
}

beforeAll(async () => {
  slipway = await startSlipway({ podDelayMilliseconds: 0 });
  const text = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  cluster = connect({ kind: "kubeconfig", text, trusted: true });
  host = new URL(slipway.runtime.registryAddress).host;
  push = pusherTo(slipway.runtime);
  for (const tag of ["v1", "v2", "v3", "v4", "bad"]) {
    const image = await push.image(repository, tag);
    images.set(tag, image);
    if (tag !== "bad") await signImage(push, { repository, image, signer: key }, "old");
  }
  const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
  await ok(slipway.call("POST", "/openapi/projects/project", { body: project }));
  await save(yaml("v1"));
  await ok(call("PUT", "/openapi/projects/project/verification", { enabled: true, public_key: key.publicKey }));
  const environment = { env_key: "live", cluster_id: localClusterId, namespace };
  await ok(call("POST", environments, { ...environment, registry_id: "0123456789abcdef12345679" }));
});

afterAll(async () => {
  cluster.close();
  await slipway.close();
});

test("a service comes into production with the digests that were signed, init containers too", async () => {
  await change(yaml("v1", "bad"));
  const added = { env_key: "live", ...services };
  await waitFor("the environment to stand", async () => {
    const { json } = await call("POST", `${environments}/service/yaml`, added);
    return !json.description.includes("creating");
  });
  await refused(call("POST", `${environments}/service/yaml`, added), 6076, "bad");
  await change(yaml("v1"));
  await ok(call("POST", `${environments}/service/yaml`, added));
  await untilRunning(pinned("v1"), pinned("v1"));
});

test("an update is refused with an image that nobody signed, previews too, and what runs keeps its digests", async () => {
  await change(yaml("bad"));
  await refused(call("PUT", `${environments}/live/services?dryRun=true`, services), 6076, "bad");
  await refused(call("PUT", `${environments}/live/services`, services), 6076, "bad");
  expect(await running()).toEqual([pinned("v1"), pinned("v1")]);
  // The tag moves to an image that nobody signed: what stands is not asked for again.
  await push.image(repository, "v1");
  await change(yaml("v2", "v1", "blue"));
  await ok(call("PUT", `${environments}/live/services`, services));
  await untilRunning(pinned("v1"), pinned("v2"));
});

test("a new image by name is pinned, and one that nobody signed changes nothing", async () => {
  const update = (tag: string) =>
    call("POST", "/openapi/environments/image/deployment/live", {
      ...{ product_name: "shop", service_name: "web", workload_name: "web", container_name: "main", image: name(tag) },
    });
  await refused(update("bad"), 6082, "bad");
  expect(await running()).toEqual([pinned("v1"), pinned("v2")]);
  await ok(update("v3"));
  expect(await running()).toEqual([pinned("v1"), pinned("v3")]);
  // The next update of the service keeps it.
  await ok(call("PUT", `${environments}/live/services`, services));
  await untilRunning(pinned("v1"), pinned("v3"));
});

test("a deploy job fails with the reason, and deploys what is signed", async () => {
  const tasks = tasksOf(slipway, "shop");
  const run = async (workflow: string, tag: string) => {
    const module = { service_module: "main", image: name(tag) };
    const spec = {
      ...{ env: "live", production: true, deploy_contents: ["image"] },
      services: [{ service_name: "web", modules: [module] }],
    };
    const jobs = [{ name: "ship", type: "zadig-deploy", spec }];
    await makeWorkflow("shop", { name: workflow, stages: [{ name: "ship", parallel: false, jobs }] });
    const id = await tasks.started(workflow, [], { inputs: [{ job_name: "ship", parameters: {} }] });
    return (await tasks.end(workflow, id)).stages[0]?.jobs[0];
  };
  const failed = await run("ship-bad", "bad");
  expect(failed?.status).toBe("failed");
  expect(failed?.error).toContain(`image ${name("bad")} is refused: it has no signature`);
  expect(await run("ship-good", "v4")).toMatchObject({ status: "passed", error: "" });
  expect(await running()).toEqual([pinned("v1"), pinned("v4")]);
});

test("a rollback brings back what was signed, and is refused where the key is another one since", async () => {
  const versions = await slipway.call<{ revision: number; images: string[] }[]>(
    "GET",
    `${environments}/live/service/web/versions?projectKey=shop`,
  );
  const wanted = versions.json.find(({ images: all }) => all.includes(pinned("v2")));
  expect(wanted).toBeDefined();
  const back = () => call("POST", `${environments}/live/service/web/versions/${wanted?.revision}/rollback`);
  await ok(call("PUT", "/openapi/projects/project/verification", { enabled: true, public_key: keySigner().publicKey }));
  const { json } = await back();
  expect(json.code).toBe(6079);
  expect(json.description).toContain(`image ${pinned("v2")} is refused: its signature is not valid`);
  await ok(call("PUT", "/openapi/projects/project/verification", { enabled: true, public_key: key.publicKey }));
  await ok(back());
  await untilRunning(pinned("v1"), pinned("v2"));
});
