import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { handler as reconciler } from "../../../../functions/triggers/reconciler/handler.ts";
import { basicAuthorization } from "../../../../infra/local/registry/basicAuth.ts";
import { localClusterId } from "../../../../shared/kube/clusters/store/clusters.ts";
import { localRegistryId } from "../../../../shared/packaging/registries/store/registries.ts";
import { findWorkflow } from "../../../../shared/workflows/saved/store/workflows.ts";
import { finishJob } from "../../../../shared/workflows/tasks/jobSteps.ts";
import { untilStatus } from "../../../harness/boutique.ts";
import { endOf, pushed as pushedTo, versionBody } from "../../../harness/deliveryVersions.ts";
import type { Slipway } from "../../../harness/slipway.ts";
import { makeWorkflow, startShop, type tasksOf } from "../../../harness/tasks.ts";
import { waitFor } from "../../../harness/waitFor.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

interface Shown {
  id: string;
  image: string;
  image_digest?: string;
  image_size?: number;
  activities: { type: string; content?: string; env_name?: string }[];
  sortedActivities: Record<string, object[]>;
}

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let registry: string;
let authorization: string;

const list = "/api/aslan/delivery/artifacts";
const ofImage = (image: string) =>
  slipway.call<Shown>("GET", `/api/directory/dc/artifact?image=${encodeURIComponent(image)}`);
const success = '{"message":"success"}';

const digestOf = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** An image of one layer of four kilobytes. @returns what its registry must say of it */
async function push(repository: string, tag: string, architecture: string): Promise<{ digest: string; size: number }> {
  const config = Buffer.from(
    JSON.stringify({ os: "linux", architecture, rootfs: { type: "layers", diff_ids: [] }, tag }),
  );
  const layer = Buffer.alloc(4096, tag);
  for (const blob of [config, layer]) {
    const url = `http://${registry}/v2/${repository}/blobs/uploads/?digest=${digestOf(blob)}`;
    expect((await fetch(url, { method: "POST", body: new Uint8Array(blob), headers: { authorization } })).status).toBe(
      201,
    );
  }
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const described = (type: string, blob: Buffer) => ({ mediaType: type, digest: digestOf(blob), size: blob.length });
  const manifest = Buffer.from(
    JSON.stringify({
      ...{ schemaVersion: 2, mediaType, config: described("application/vnd.oci.image.config.v1+json", config) },
      layers: [described("application/vnd.oci.image.layer.v1.tar", layer)],
    }),
  );
  const put = { method: "PUT", body: new Uint8Array(manifest), headers: { authorization, "content-type": mediaType } };
  expect((await fetch(`http://${registry}/v2/${repository}/manifests/${tag}`, put)).status).toBe(201);
  return { digest: digestOf(manifest), size: config.length + layer.length };
}

async function post(path: string, body: object): Promise<void> {
  const { text } = await slipway.call("POST", path, { body });
  expect(text).toBe(success);
}

beforeAll(async () => {
  ({ slipway, tasks } = await startShop({ podDelayMilliseconds: 0 }));
  registry = slipway.runtime.registryAddress.replace("http://", "");
  authorization = basicAuthorization(slipway.runtime.registryLogin);
  await post("/openapi/service/yaml/raw?projectKey=shop", {
    service_name: "shop",
    yaml: [
      "apiVersion: apps/v1",
      "kind: Deployment",
      "metadata: { name: web }",
      "spec:",
      "  selector: { matchLabels: { app: web } }",
      "  template:",
      "    metadata: { labels: { app: web } }",
      "    spec: { containers: [{ name: web, image: nginx:1 }] }",
    ].join("\n"),
  });
  await post("/openapi/environments?projectKey=shop", {
    ...{ env_key: "dev", namespace: "shop-dev", cluster_id: localClusterId, registry_id: "" },
    services: [{ service_name: "shop" }],
  });
  await post("/openapi/build?projectKey=shop", {
    ...{ name: "web-build", project_key: "shop", infrastructure: "kubernetes", build_os: "ubuntu 20.04", installs: [] },
    ...{ script_type: "shell", build_script: "IMAGE=$NAME" },
    services: [{ service_name: "shop", service_module: "web" }],
    parameters: [{ key: "NAME", type: "string", default_value: "" }],
  });
  await post("/openapi/quality/testing", {
    ...{ name: "unit", project_key: "shop", build_os: "ubuntu 20.04", script_type: "shell", script: "true" },
    ...{ repo_info: [] },
  });
  await makeWorkflow("shop", {
    name: "ship",
    stages: [
      {
        name: "test",
        jobs: [
          {
            name: "unit",
            type: "zadig-test",
            spec: { source: "runtime", test_modules: [{ name: "unit", project_name: "shop" }] },
          },
        ],
      },
      { name: "build", jobs: [{ name: "build", type: "zadig-build", spec: { source: "runtime" } }] },
      {
        name: "deploy",
        jobs: [
          {
            name: "deploy",
            type: "zadig-deploy",
            spec: { env: "dev", source: "fromjob", job_name: "build", deploy_contents: ["image"] },
          },
        ],
      },
    ],
  });
});

afterAll(() => slipway?.close());

async function ship(image: string): Promise<number> {
  const module = { service_name: "shop", service_module: "web", inputs: [{ key: "NAME", value: image }] };
  const id = await tasks.started("ship", [], {
    inputs: [
      { job_name: "unit", job_type: "zadig-test", parameters: { testing_list: [{ testing_name: "unit" }] } },
      { job_name: "build", job_type: "zadig-build", parameters: { service_list: [module] } },
      { job_name: "deploy", job_type: "zadig-deploy", parameters: { env_name: "dev", service_list: [] } },
    ],
  });
  expect(await tasks.end("ship", id)).toMatchObject({ status: "passed" });
  return id;
}

describe("an image that a build made", () => {
  let image: string;
  let pushed: { digest: string; size: number };
  let taskId: number;

  test("has an artifact with what its registry says, its build, its test and its deployment", async () => {
    image = `${registry}/slipway/web:one`;
    pushed = await push("slipway/web", "one", "arm64");
    taskId = await ship(image);
    await waitFor("the registry to be asked", async () => (await ofImage(image)).json.image_digest !== undefined);
    const { json } = await ofImage(image);
    expect(json).toMatchObject({
      ...{ id: expect.stringMatching(/^[0-9a-f]{24}$/), name: "web", type: "image", source: "workflow_v4", image },
      ...{ image_tag: "one", image_digest: pushed.digest, image_size: pushed.size, architecture: "arm64", os: "linux" },
      created_by: "admin",
    });
    expect(json.activities.map(({ type }) => type).sort()).toEqual(["build", "deploy", "test"]);
    expect(Object.keys(json.sortedActivities).sort()).toEqual(["build", "deploy", "test"]);
    expect(json.sortedActivities.deploy).toMatchObject([{ env_name: "dev", artifact_id: json.id }]);
    expect(json.sortedActivities.test).toMatchObject([{ content: "unit: passed" }]);
    expect((await slipway.call("GET", `${list}/image?image=${image}`)).text).toBe(json.id);
    expect((await slipway.call<Shown>("GET", `${list}/${json.id}`)).json).toEqual(json);
    expect((await ofImage(pushed.digest)).json.id).toBe(json.id);
  });

  test("is noted once, whoever finishes its job again", async () => {
    const before = (await ofImage(image)).json;
    const ownerId = (await findWorkflow("ship"))?.workflowId ?? "";
    for (const job of ["job-0-0-0-unit", "job-1-0-0-build", "job-2-0-0-deploy"])
      expect(await finishJob({ ownerId, taskId, job }, false)).toEqual({ next: "done" });
    expect((await ofImage(image)).json).toEqual(before);
    const { json, headers } = await slipway.call<Shown[]>("GET", list);
    expect([json.length, headers.get("x-total")]).toEqual([1, "1"]);
  });

  test("is traced from its build to the environment that runs it, by reference and by digest", async () => {
    for (const name of [image, pushed.digest]) {
      const { json } = await slipway.call("GET", `/openapi/artifacts/trace?image=${encodeURIComponent(name)}`);
      const task = { project_key: "shop", workflow_key: "ship", task_id: taskId };
      expect(json).toMatchObject({
        ...{ image: name, image_digest: pushed.digest, builds: [task], tests: [task] },
        ...{ deploys: [{ ...task, env_name: "dev" }], versions: [], release_plans: [] },
        environments: [
          { project_key: "shop", env_key: "dev", production: false, service_name: "shop", containers: ["web"], image },
        ],
      });
    }
  });

  test("runs nowhere after the next one was deployed, and a search tells both apart", async () => {
    const next = `${registry}/slipway/web:two`;
    await push("slipway/web", "two", "amd64");
    await ship(next);
    const running = async (name: string) =>
      (await slipway.call<{ environments: object[] }>("GET", `/openapi/artifacts/trace?image=${name}`)).json
        .environments;
    expect([(await running(image)).length, (await running(next)).length]).toEqual([0, 1]);
    await waitFor("the registry to be asked", async () => (await ofImage(next)).json.image_digest !== undefined);
    const found = async (query: string) => {
      const { json, headers } = await slipway.call<Shown[]>("GET", `${list}?${query}`);
      return [json.map((one) => one.image.split(":").at(-1)), headers.get("x-total")];
    };
    expect(await found("")).toEqual([["two", "one"], "2"]);
    expect(await found("per_page=1&page=2")).toEqual([["one"], "2"]);
    expect(await found("per_page=1&page=3")).toEqual([[], "2"]);
    expect(await found("imageTag=one")).toEqual([["one"], "1"]);
    expect(await found("name=we&image=web:t")).toEqual([["two"], "1"]);
    expect(await found("branch=main")).toEqual([[], "0"]);
    expect(await found("type=file")).toEqual([[], "0"]);
  });

  test("is traced by the name that a version gave it as by its digest, while the version stands", async () => {
    const at = `${registry}/slipway`;
    const released = `${at}/released/web:1.0`;
    const path = "/openapi/delivery/releases";
    const release = async (name: string, tag: string): Promise<string> => {
      const copied = { ...pushedTo(at, `${at}/released`, "web", tag, "1.0"), image_name: "released/web" };
      const body = versionBody(name, localRegistryId, [copied]);
      expect((await slipway.call("POST", `${path}/k8s`, { body })).text).toBe(success);
      const { id, error } = await endOf(slipway, name);
      expect(error).toBe("");
      return id;
    };
    const traced = async (name: string) => {
      const answer = await slipway.call<{ image: string; image_digest: string; versions: { version: string }[] }>(
        "GET",
        `/openapi/artifacts/trace?image=${encodeURIComponent(name)}`,
      );
      expect(answer.status, answer.text).toBe(200);
      return { ...answer.json, image: "" };
    };
    const first = await release("first", "one");
    const byDigest = await traced(pushed.digest);
    expect(byDigest).toMatchObject({ builds: [{ task_id: taskId }], versions: [{ id: first, version: "first" }] });
    for (const name of [released, `${released}@${pushed.digest}`]) expect(await traced(name)).toEqual(byDigest);
    // Another image gets the same name: the first one keeps its own trace.
    const second = await release("second", "two");
    const moved = await traced(released);
    expect(moved.image_digest).not.toBe(pushed.digest);
    expect(moved.versions.map(({ version }) => version)).toEqual(["second", "first"]);
    expect(await traced(pushed.digest)).toEqual(byDigest);
    for (const id of [first, second])
      expect((await slipway.call("DELETE", `${path}/${id}?projectKey=shop`)).text).toBe(success);
    expect((await slipway.call("GET", `/openapi/artifacts/trace?image=${released}`)).status).toBe(404);
    expect((await traced(pushed.digest)).versions).toEqual([]);
  });

  test("that is not in its registry stands in no list until the reconciler finds it there", async () => {
    const late = `${registry}/slipway/web:late`;
    await ship(late);
    expect((await ofImage(late)).json.image_digest).toBeUndefined();
    expect((await slipway.call<Shown[]>("GET", `${list}?imageTag=late`)).json).toEqual([]);
    const { digest } = await push("slipway/web", "late", "amd64");
    await reconciler();
    expect((await slipway.call<Shown[]>("GET", `${list}?imageTag=late`)).json).toMatchObject([
      { image_digest: digest },
    ]);
  });

  test("gets what somebody reports of it", async () => {
    const { id } = (await ofImage(image)).json;
    await post(`${list}/${id}/activities`, { type: "publish", publish_hosts: ["a"], created_time: 1 });
    expect((await ofImage(image)).json.activities[0]).toMatchObject({ type: "publish", publish_hosts: ["a"] });
    const wrong = await slipway.call("POST", `${list}/${id}/activities`, { body: { type: "eaten" } });
    expect([wrong.status, wrong.text.includes("must be one of build, test")]).toEqual([400, true]);
    const gone = await slipway.call("POST", `${list}/${"0".repeat(24)}/activities`, { body: { type: "test" } });
    expect(gone.status).toBe(404);
  });

  test("is found among more of one service than a transaction has room for", async () => {
    const named = (tag: string) => Array.from({ length: 60 }, (_, at) => `reg.example.com/crowd-${at}:${tag}`);
    const yamlOf = (tag: string) => {
      const containers = named(tag).map((image, at) => ({ name: `c-${at}`, image }));
      const [labels, metadata] = [{ app: "crowd" }, { name: "crowd" }];
      const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
      return JSON.stringify({ apiVersion: "apps/v1", kind: "Deployment", metadata, spec });
    };
    const runs = async (tag: string) => {
      const ends = [named(tag)[0], named(tag)[59]];
      const traces = ends.map((image) => slipway.call("GET", `/openapi/artifacts/trace?image=${image}`));
      return (await Promise.all(traces)).map(({ status }) => status);
    };
    const place = { env_key: "dev", service_list: [{ service_name: "crowd" }] };
    await post("/openapi/service/yaml/raw?projectKey=shop", { service_name: "crowd", yaml: yamlOf("one") });
    await post("/openapi/environments/service/yaml?projectKey=shop", place);
    await untilStatus(slipway, "shop", "dev", "running");
    expect(await runs("one")).toEqual([200, 200]);
    const body = { type: "k8s", yaml: yamlOf("two") };
    expect((await slipway.call("PUT", "/openapi/service/yaml/crowd?projectKey=shop", { body })).text).toBe(success);
    expect(
      (await slipway.call("PUT", "/openapi/environments/service/yaml?projectKey=shop", { body: place })).text,
    ).toBe(success);
    await waitFor("the new images to run", async () => (await runs("two")).every((status) => status === 200));
    expect(await runs("one")).toEqual([404, 404]);
  });

  test("nobody built and nobody runs is 404, and a missing name 400", async () => {
    expect((await ofImage("reg.example.com/none:1")).status).toBe(404);
    expect((await slipway.call("GET", "/openapi/artifacts/trace?image=reg.example.com/none:1")).status).toBe(404);
    expect((await slipway.call("GET", "/openapi/artifacts/trace")).status).toBe(400);
    expect((await slipway.call("GET", "/api/directory/dc/artifact")).status).toBe(400);
  });
});
