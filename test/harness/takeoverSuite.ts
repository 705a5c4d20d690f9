import { randomBytes } from "node:crypto";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient, LiveObject } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { objectPreview } from "../../shared/kube/preview/objectPreview.ts";
import { type RawClient, rawClient } from "../infra/local/cluster/rawClient.ts";
import { type AnyChange, anyChange } from "./anyChange.ts";
import { type Detail, detailOf, localClusterId, untilStatus } from "./boutique.ts";
import type { Standing } from "./environmentSuite.ts";
import type { Slipway } from "./slipway.ts";
import { waitFor } from "./waitFor.ts";

interface Preview {
  objects: { service_name: string; kind: string; name: string; action: string; diff: string }[];
}
interface Drift {
  in_sync: boolean;
  objects: { name: string; fields: { path: string; live: unknown; manager: string; added: boolean; time: number }[] }[];
}

const environments = "/openapi/environments";
const services = "/openapi/service/yaml";
const place = { cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" };
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
const deploymentKind = { apiVersion: "apps/v1", kind: "Deployment" };

const containers = (image: string) => [{ name: "main", image }];
const web = (image: string, more: object = {}) => ({
  ...deploymentKind,
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: containers(image) } },
    ...more,
  },
});
const text = (...objects: object[]) => objects.map((object) => JSON.stringify(object)).join("\n---\n");

/**
 * What other programs set, and what happens to it: the same on every cluster.
 * @param runs of random changes for which the dry run is compared with the update
 */
export function takeoverSuite(
  cluster: string,
  open: () => Promise<Standing>,
  runs: { numRuns: number; seed?: number },
): void {
  let slipway: Slipway;
  let client: ClusterClient;
  let raw: RawClient;
  const tag = randomBytes(4).toString("hex");
  const namespace = `slipway-test-${tag}`;

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    raw = rawClient(standing.kubeconfig);
    await call("POST", "/openapi/projects/project", {
      ...{ project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" },
    });
    await client.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  });

  afterAll(async () => {
    await client.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
    client.close();
    raw.close();
    await slipway.close();
  });

  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await slipway.call<T>(method, path, { body });
    expect(answer.status, answer.text).toBe(200);
    return answer.json;
  };
  const save = (service_name: string, yaml: string) =>
    call("POST", `${services}/raw?projectKey=shop`, { service_name, yaml });
  const replace = (name: string, yaml: string) =>
    call("PUT", `${services}/${name}?projectKey=shop`, { type: "k8s", yaml });
  const update = (service: string, more: object = {}, query = "") =>
    call<Preview & { warnings?: { code: string }[] }>("PUT", `${environments}/service/yaml?projectKey=shop${query}`, {
      ...{ env_key: "dev", service_list: [{ service_name: service }], ...more },
    });
  const settled = async () => {
    await untilStatus(slipway, "shop", "dev", "running", 90);
    return waitFor("the change ends", async () => {
      const detail = await detailOf(slipway, "shop", "dev");
      return detail.stored_status === "success" && detail;
    });
  };
  const service = async (name = "web") => {
    const { services: found } = (await settled()) as Detail & { services: { rolled_back?: { revision: number } }[] };
    return found.find(({ service_name }) => service_name === name);
  };
  const liveWeb = (): Promise<LiveObject> => client.get({ ...deploymentKind, name: "web", namespace });
  const drift = () => call<Drift>("GET", `${environments}/dev/drift?projectKey=shop`);
  const byHand = (manager: string, body: object) =>
    raw.send("PATCH", `/apis/apps/v1/namespaces/${namespace}/deployments/web?fieldManager=${manager}`, body, {
      "content-type": "application/strategic-merge-patch+json",
    });

  describe(`what stands there already on ${cluster}`, () => {
    const dev = { ...place, env_key: "dev", namespace, services: [{ service_name: "web" }] };

    test("is refused with an offer, shown, and taken over with adopt: true", async () => {
      const object = web("web:1", { minReadySeconds: 1, strategy: { type: "Recreate" } });
      object.spec.template.spec.containers.push({ name: "old", image: "old:1" });
      const metadata = { ...object.metadata, annotations: { [lastApplied]: JSON.stringify(object) } };
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments?fieldManager=kubectl-client-side-apply`;
      expect((await raw.send("POST", path, { ...object, metadata })).code).toBe(201);
      await save("web", text(web("web:2")));

      const refused = await slipway.call<{ code: number; description: string }>(
        "POST",
        `${environments}?projectKey=shop`,
        { body: dev },
      );
      expect(refused.json).toMatchObject({ code: 6074 });
      expect(refused.json.description).toMatch(/Deployment "web".*adopt: true/s);

      const shown = await call<Preview>("POST", `${environments}?projectKey=shop&dryRun=true`, { ...dev, adopt: true });
      expect(shown.objects).toHaveLength(1);
      expect(shown.objects[0]?.diff).toMatch(/^-.*name: old$/m);
      expect(shown.objects[0]?.diff).toMatch(/^-.*minReadySeconds: 1$/m);
      expect(shown.objects[0]?.diff).toMatch(/^\+.*image: web:2$/m);

      await call("POST", `${environments}?projectKey=shop`, { ...dev, adopt: true });
      await settled();
      const live = await liveWeb();
      expect(live).toHaveProperty("spec.template.spec.containers.length", 1);
      expect(live).toHaveProperty("spec.template.spec.containers.0.image", "web:2");
      expect(live).toHaveProperty("spec.strategy.type", "RollingUpdate");
      expect(live.spec).not.toHaveProperty("minReadySeconds");
      expect(live.metadata.annotations).not.toHaveProperty([lastApplied]);
      const managers = live.metadata.managedFields?.filter(({ subresource = "" }) => subresource === "");
      expect(managers?.map(({ manager }) => manager)).not.toContain("kubectl-client-side-apply");
      expect(await drift()).toMatchObject({ in_sync: true });
    });

    test("that an update takes away from the YAML goes, whoever applied it since", async () => {
      const changed = { ...web("web:3", { minReadySeconds: 2 }) };
      expect((await byHand("kubectl-client-side-apply", changed)).code).toBe(200);
      const before = await update("web", {}, "&dryRun=true");
      expect(before.objects[0]?.diff).toMatch(/^-.*minReadySeconds: 2$/m);
      await update("web");
      await settled();
      const live = await liveWeb();
      expect(live.spec).not.toHaveProperty("minReadySeconds");
      expect(live).toHaveProperty("spec.template.spec.containers.0.image", "web:2");
      const after = await update("web", {}, "&dryRun=true");
      expect(after.objects.map(({ action, diff }) => [action, diff])).toEqual([["unchanged", ""]]);
    });

    test("that people add is told as drift, and goes with reset: true", async () => {
      const env = [{ name: "DEBUG", value: "1" }];
      const added = { spec: { template: { spec: { containers: [{ name: "main", env }] } } } };
      expect((await byHand("kubectl-set", added)).code).toBe(200);
      expect((await drift()).objects).toMatchObject([
        {
          name: "web",
          fields: [
            {
              path: "spec.template.spec.containers[name=main].env",
              live: env,
              ...{ manager: "kubectl-set", added: true, time: expect.any(Number) },
            },
          ],
        },
      ]);
      await update("web");
      await settled();
      expect((await drift()).in_sync).toBe(false);
      const shown = await update("web", { reset: true }, "&dryRun=true");
      expect(shown.objects[0]?.diff).toMatch(/^-.*DEBUG$/m);
      await update("web", { reset: true });
      await settled();
      expect((await liveWeb()).spec).not.toHaveProperty("template.spec.containers.0.env");
      expect(await drift()).toMatchObject({ in_sync: true, objects: [] });
    });

    test("of managers that the environment names is taken over with every update", async () => {
      await call("PUT", `${environments}/dev?projectKey=shop`, { adopt_managers: ["deployer"] });
      expect((await byHand("deployer", { spec: { minReadySeconds: 3 } })).code).toBe(200);
      await update("web");
      await settled();
      expect((await liveWeb()).spec).not.toHaveProperty("minReadySeconds");
    });

    test("is refused with an offer where a service is added, and taken over with adopt: true", async () => {
      const stray = (image: string, more: object) => text(web(image, more)).replaceAll('"web"', '"stray"');
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments?fieldManager=kubectl-client-side-apply`;
      expect((await raw.send("POST", path, JSON.parse(stray("stray:1", { minReadySeconds: 1 })))).code).toBe(201);
      await save("stray", stray("stray:2", {}));
      const body = { env_key: "dev", service_list: [{ service_name: "stray" }] };
      const url = `${environments}/service/yaml?projectKey=shop`;
      const refused = await slipway.call<{ code: number; description: string }>("POST", url, { body });
      expect(refused.json).toMatchObject({ code: 6076, description: expect.stringMatching(/"stray".*adopt: true/s) });
      const shown = await call<Preview>("POST", `${url}&dryRun=true`, { ...body, adopt: true });
      expect(shown.objects[0]?.diff).toMatch(/^-.*minReadySeconds: 1$/m);
      await call("POST", url, { ...body, adopt: true });
      await settled();
      const live = await client.get({ ...deploymentKind, name: "stray", namespace });
      expect(live).toHaveProperty("spec.template.spec.containers.0.image", "stray:2");
      expect(live.spec).not.toHaveProperty("minReadySeconds");
    });

    test("of the environment's own configurations and its pull secret goes with their next apply, too", async () => {
      const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { colour: "red" } };
      const config = { name: "settings", common_env_cfg_type: "ConfigMap", yaml_data: JSON.stringify(map) };
      await call("POST", `${environments}/dev/envcfgs?projectKey=shop`, config);
      const mark = (path: string) =>
        raw.send(
          "PATCH",
          `/api/v1/namespaces/${namespace}/${path}?fieldManager=kubectl-client-side-apply`,
          { metadata: { labels: { stray: "1" }, annotations: { [lastApplied]: "{}" } } },
          { "content-type": "application/strategic-merge-patch+json" },
        );
      for (const path of ["configmaps/settings", "secrets/default-registry-secret"])
        expect((await mark(path)).code).toBe(200);
      const changed = { ...config, env_key: "dev", yaml_data: JSON.stringify({ ...map, data: { colour: "blue" } }) };
      const url = `${environments}/envcfgs?projectKey=shop`;
      const shown = await call<Preview>("PUT", `${url}&dryRun=true`, changed);
      expect(shown.objects[0]?.diff).toMatch(/^-.*stray: '1'$/m);
      await call("PUT", url, changed);
      await update("web");
      await settled();
      const settings = await client.get({ apiVersion: "v1", kind: "ConfigMap", name: "settings", namespace });
      expect(settings).toMatchObject({ data: { colour: "blue" } });
      const secret = await client.get({ apiVersion: "v1", kind: "Secret", name: "default-registry-secret", namespace });
      for (const { metadata } of [settings, secret]) {
        expect(metadata.labels ?? {}).not.toHaveProperty("stray");
        expect(metadata.annotations ?? {}).not.toHaveProperty([lastApplied]);
      }
    });
  });

  describe(`a rollback on ${cluster}`, () => {
    const versions = `${environments}/dev/service/web/versions`;
    test("keeps the number of pods, and tells where the service stands until it is named", async () => {
      await replace("web", text(web("web:9")));
      await update("web");
      await settled();
      const scaled = { spec: { replicas: 4 } };
      expect((await byHand("kubectl", scaled)).code).toBe(200);
      await call("POST", `${versions}/1/rollback?projectKey=shop`);
      expect(await service()).toMatchObject({ rolled_back: { revision: 1, from: expect.any(Number) } });
      const live = await liveWeb();
      expect(live).toHaveProperty("spec.replicas", 4);
      expect(live).toHaveProperty("spec.template.spec.containers.0.image", "web:2");
      await call("POST", `${versions}/1/rollback?projectKey=shop&replicas=true`);
      await settled();
      expect(await liveWeb()).toHaveProperty("spec.replicas", 2);
      await update("web");
      expect(await service()).not.toHaveProperty("rolled_back");
      expect(await liveWeb()).toHaveProperty("spec.template.spec.containers.0.image", "web:9");
    });
  });

  describe(`kinds that services bring to each other on ${cluster}`, () => {
    test("are there before the objects of any service", async () => {
      const group = `test-${tag}.slipway.dev`;
      const names = { plural: "carts", singular: "cart", kind: "Cart" };
      const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
      const definition = {
        ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
        metadata: { name: `carts.${group}` },
        spec: { group, scope: "Namespaced", names, versions: [{ name: "v1", served: true, storage: true, schema }] },
      };
      const cart = { apiVersion: `${group}/v1`, kind: "Cart", metadata: { name: "one" }, spec: { size: 1 } };
      await save("a-cart", text(cart));
      await save("b-definition", text(definition));
      const service_list = [{ service_name: "a-cart" }, { service_name: "b-definition" }];
      const body = { env_key: "dev", service_list };
      const shown = await call<Preview>("POST", `${environments}/service/yaml?projectKey=shop&dryRun=true`, body);
      expect(shown.objects.map(({ kind, action }) => `${action} ${kind}`).sort()).toEqual([
        "create Cart",
        "create CustomResourceDefinition",
      ]);
      await call("POST", `${environments}/service/yaml?projectKey=shop`, body);
      const detail = await settled();
      expect(detail.services.filter(({ error }) => error !== "")).toEqual([]);
      expect(await client.get({ apiVersion: `${group}/v1`, kind: "Cart", name: "one", namespace })).toMatchObject({
        spec: { size: 1 },
      });
    });
  });

  describe(`what the platform adds on ${cluster}`, () => {
    test("is no part of a ReplicationController's selector", async () => {
      const labels = { app: "rc" };
      const template = { metadata: { labels }, spec: { containers: containers("rc:1") } };
      const rc = {
        apiVersion: "v1",
        kind: "ReplicationController",
        metadata: { name: "rc", namespace: "elsewhere" },
        spec: { template },
      };
      await save("rc", text(rc));
      const body = { env_key: "dev", service_list: [{ service_name: "rc" }] };
      expect(await call("POST", `${environments}/service/yaml?projectKey=shop`, body)).toMatchObject({
        warnings: [{ code: "other_namespace", message: expect.stringContaining("namespace elsewhere") }],
      });
      await settled();
      const live = await client.get({ apiVersion: "v1", kind: "ReplicationController", name: "rc", namespace });
      expect(live).toHaveProperty("spec.selector", labels);
      const yaml = text(rc).replaceAll('"rc"', '"strict"');
      await call("POST", `${services}/raw?projectKey=shop`, { service_name: "strict", yaml, strict: true });
      const strict = { env_key: "dev", service_list: [{ service_name: "strict" }] };
      const refused = await slipway.call("POST", `${environments}/service/yaml?projectKey=shop`, { body: strict });
      expect(refused.json).toMatchObject({
        code: 6045,
        description: expect.stringMatching(/service is strict.*objects of namespace elsewhere go to/),
      });
    });

    test("names what it does not know, and warns of what has no effect", async () => {
      const yaml = JSON.stringify(web("web:{{.tag}}"));
      for (const service_name of ["tagged", "spare"])
        await call("POST", `${services}/raw?projectKey=shop`, {
          ...{ service_name, yaml: yaml.replaceAll('"web"', `"${service_name}"`) },
          variable_yaml: [{ key: "tag", value: "1", type: "string" }],
        });
      const list = (value: string, key = "tag") => ({
        env_key: "dev",
        service_list: [{ service_name: "tagged", variable_kvs: [{ key, value }] }],
      });
      await call("POST", `${environments}/service/yaml?projectKey=shop`, list("2"));
      await settled();
      const path = `${environments}/service/yaml?projectKey=shop`;
      const containers = [{ name: "mian", image: "web:3" }];
      const wrong = { service_name: "tagged", ...{ containers, variable_kvs: [{ key: "tga", value: "3" }] } };
      const unknown = (method: string, to: string, body: object) => slipway.call(method, to, { body });
      const image = { service_name: "tagged", name: "tagged", container_name: "mian", image: "web:3" };
      const created = { ...place, env_key: "wrong", namespace: `${namespace}-wrong`, services: [wrong] };
      const refused = await Promise.all([
        unknown("PUT", path, { env_key: "dev", service_list: [wrong] }),
        unknown("POST", path, { env_key: "dev", service_list: [{ ...wrong, service_name: "spare" }] }),
        unknown("POST", `${environments}?projectKey=shop`, created),
        unknown("POST", `${environments}/image/deployment/dev?projectKey=shop`, image),
      ]);
      const [key, container] = ["has no variable tga; it has tag", "has no container mian; it has main"];
      expect(refused.map(({ status, json }) => ({ status, ...(json as object) }))).toMatchObject([
        { status: 400, code: 6076, description: `service tagged ${key}` },
        { status: 400, code: 6076, description: `service spare ${key}` },
        { status: 400, code: 6074, description: expect.stringMatching(`${key}.*${container}`) },
        { status: 400, code: 6082, description: expect.stringContaining("mian") },
      ]);
      await call("POST", `${environments}/image/deployment/dev?projectKey=shop`, {
        ...{ service_name: "tagged", name: "tagged", container_name: "main", image: "web:image" },
      });
      const answer = await call<{ warnings: { code: string; message: string }[] }>("PUT", path, list("3"));
      expect(answer.warnings).toMatchObject([{ code: "image_kept", message: expect.stringContaining("web:3") }]);
      await settled();
    });
  });

  describe(`a service that was rolled back on ${cluster}`, () => {
    test("stays there when global variables change, and says so", async () => {
      const globals = (value: string) =>
        call<{ warnings?: object[] }>("PUT", `${environments}/dev/variable?projectKey=shop`, {
          global_variables: [{ key: "tag", value }],
        });
      await call("PUT", "/api/aslan/project/products/shop/globalVariables", {
        global_variables: [{ key: "tag", type: "string", value: "6" }],
      });
      await globals("7");
      const taking = { service_name: "tagged", variable_kvs: [{ key: "tag", value: "", use_global_variable: true }] };
      await update("tagged", { service_list: [taking] });
      await settled();
      const path = `${environments}/dev/service/tagged/versions`;
      const [{ revision } = { revision: 0 }] = await call<{ revision: number }[]>("GET", `${path}?projectKey=shop`);
      await call("POST", `${path}/${revision}/rollback?projectKey=shop`);
      await settled();
      expect((await globals("8")).warnings).toMatchObject([
        { code: "rolled_back", message: expect.stringContaining(`service tagged stays at version ${revision}`) },
      ]);
      expect(await service("tagged")).toHaveProperty("rolled_back");
      // A newer revision of its definition ends that.
      const yaml = JSON.stringify(web("web:{{.tag}}", { minReadySeconds: 1 })).replaceAll('"web"', '"tagged"');
      await replace("tagged", yaml);
      expect((await globals("9")).warnings).toMatchObject([{ code: "image_kept" }]);
      expect(await service("tagged")).not.toHaveProperty("rolled_back");
    });
  });

  describe(`a dry run on ${cluster}`, () => {
    const kinds = [
      deploymentKind,
      { apiVersion: "v1", kind: "ConfigMap" },
      { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" },
      { apiVersion: "apps/v1", kind: "StatefulSet" },
      { apiVersion: "batch/v1", kind: "Job" },
      { apiVersion: "v1", kind: "Service" },
    ];
    const revision = "deployment.kubernetes.io/revision";
    const standing = async () => {
      const lists = await Promise.all(kinds.map(async (kind) => (await client.list(kind, { namespace })).items));
      return new Map(lists.flat().flatMap((one) => (one.metadata.name === "any" ? [[one.kind, one] as const] : [])));
    };
    const path = {
      Deployment: "/apis/apps/v1",
      StatefulSet: "/apis/apps/v1",
      Job: "/apis/batch/v1",
      Service: "/api/v1",
      ConfigMap: "/api/v1",
    };
    const edit = async ({ kind, manager, body }: AnyChange["byHand"][number]) => {
      const url = `${path[kind]}/namespaces/${namespace}/${kind.toLowerCase()}s/any?fieldManager=${manager}`;
      const type = { "content-type": "application/strategic-merge-patch+json" };
      expect([200, 404]).toContain((await raw.send("PATCH", url, body, type)).code);
    };
    const ended = () =>
      waitFor(
        "the change ends",
        async () => {
          const detail = await detailOf(slipway, "shop", "dev");
          return ["success", "failed"].includes(detail.stored_status) && detail;
        },
        90,
      );

    /** Every Job has marks of its own by which it knows its pods. */
    const withoutMarks = (object: LiveObject | undefined): LiveObject | undefined => {
      if (object?.kind !== "Job") return structuredClone(object);
      const marks = /"(batch\.kubernetes\.io\/)?(controller-uid|job-name)":"[^"]*",?/g;
      const { selector: _own, ...spec } = object.spec as Record<string, unknown>;
      return JSON.parse(
        JSON.stringify({ ...object, spec })
          .replace(marks, "")
          .replaceAll(",}", "}"),
      );
    };
    /** The server gives a Service another address each time it is asked to make it. */
    const anyAddress = (diff: string) => diff.replace(/\b\d+\.\d+\.\d+\.\d+\b/g, "<address>");
    /** What became of the objects, told as a dry run tells it. */
    const happened = (before: ReadonlyMap<string, LiveObject>, after: ReadonlyMap<string, LiveObject>) =>
      [...new Set([...before.keys(), ...after.keys()])].map((kind) => {
        const now = withoutMarks(after.get(kind));
        // What goes is told whole.
        const old = now === undefined ? before.get(kind) : withoutMarks(before.get(kind));
        // The controller counts rollouts there.
        const count = old?.metadata.annotations?.[revision];
        if (count !== undefined && now?.metadata.annotations) now.metadata.annotations[revision] = count;
        else delete now?.metadata.annotations?.[revision];
        const { action, diff } = objectPreview("any", old, now);
        return { kind, action, diff: anyAddress(diff) };
      });

    test("says what the update then does, whatever the manifest is and whatever people did", async () => {
      await save("any", text(web("any:1")).replaceAll('"web"', '"any"'));
      const add = { env_key: "dev", service_list: [{ service_name: "any" }] };
      await call("POST", `${environments}/service/yaml?projectKey=shop`, add);
      await ended();
      let accepted = 0;
      const agrees = async ({ objects, byHand, reset }: AnyChange) => {
        for (const one of byHand) await edit(one);
        await replace("any", text(...objects));
        const before = await standing();
        const url = `${environments}/service/yaml?projectKey=shop`;
        const body = { env_key: "dev", service_list: [{ service_name: "any" }], reset };
        const told = await slipway.call<Preview & { description: string }>("PUT", `${url}&dryRun=true`, { body });
        const done = await slipway.call<{ description: string }>("PUT", url, { body });
        const { services } = await ended();
        const error = services.find(({ service_name }) => service_name === "any")?.error ?? "";
        if (told.status !== 200) {
          expect([done.status === 200 ? error : done.json.description, told.json.description]).not.toContain("");
          return;
        }
        accepted += 1;
        expect([done.status, error]).toEqual([200, ""]);
        const shown = told.json.objects.map(({ kind, action, diff }) => ({ kind, action, diff: anyAddress(diff) }));
        const byKind = (a: { kind: string }, b: { kind: string }) => a.kind.localeCompare(b.kind);
        expect(shown.sort(byKind)).toEqual(happened(before, await standing()).sort(byKind));
      };
      await fc.assert(fc.asyncProperty(anyChange, agrees), { ...runs, endOnFailure: true });
      expect(accepted).toBeGreaterThan(0);
    }, 110_000);
  });

  describe(`the pull secret on ${cluster}`, () => {
    test("goes with the environment from a namespace that stays", async () => {
      const secret = { apiVersion: "v1", kind: "Secret", name: "default-registry-secret", namespace };
      expect((await client.get(secret)).metadata.name).toBe(secret.name);
      await call("DELETE", `${environments}/dev?projectKey=shop&isDelete=true`);
      await waitFor("the environment is gone", async () => {
        return (await slipway.call("GET", `${environments}/dev?projectKey=shop`)).status === 404;
      });
      await expect(client.get(secret)).rejects.toThrow("not found");
    });
  });
}
