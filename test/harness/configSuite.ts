import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient, LiveObject } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { ClusterNotFound } from "../../shared/kube/client/errors.ts";
import { detailOf, localClusterId, untilStatus } from "./boutique.ts";
import type { Standing } from "./environmentSuite.ts";
import type { Slipway } from "./slipway.ts";

const success = '{"message":"success"}';
const environments = "/openapi/environments";

interface Failure {
  code: number;
  description: string;
}

interface Change {
  revision: number;
  operation: string;
  yaml_data: string;
  create_by: string;
}

/** Five workloads: each reads the objects in another way, and one reads nothing. */
const readers = {
  byvolume: ["Deployment", { volumes: [{ name: "v", configMap: { name: "settings" } }] }],
  byprojection: [
    "StatefulSet",
    { volumes: [{ name: "v", projected: { sources: [{ configMap: { name: "settings" } }] } }] },
  ],
  byenv: [
    "DaemonSet",
    { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "colour", optional: true } } }] },
  ],
  bysecret: ["Deployment", { initEnvFrom: [{ secretRef: { name: "login", optional: true } }] }],
  nothing: ["Deployment", {}],
} as const;

function manifest(name: string, kind: string, reads: Record<string, unknown>): string {
  const { volumes = [], env = [], initEnvFrom } = reads;
  const container = { name: "main", image: "busybox:1.37" };
  const labels = { app: name };
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind,
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      ...(kind === "StatefulSet" && { serviceName: name }),
      template: {
        metadata: { labels },
        spec: {
          volumes,
          containers: [{ ...container, env }],
          ...(initEnvFrom !== undefined && { initContainers: [{ ...container, name: "first", envFrom: initEnvFrom }] }),
        },
      },
    },
  });
}

function configMap(name: string, data: Record<string, string>): string {
  return JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "elsewhere" }, data });
}

/** What configuration objects and global variables of environments do, the same on every cluster. */
export function configSuite(cluster: string, open: () => Promise<Standing>): void {
  const namespace = `slipway-test-${randomBytes(4).toString("hex")}`;
  let slipway: Slipway;
  let client: ClusterClient;

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    const project = { project_name: "conf", project_key: "conf", is_public: false, project_type: "yaml" };
    await succeed("POST", "/openapi/projects/project", project);
    for (const [name, [kind, reads]] of Object.entries(readers))
      await succeed("POST", "/openapi/service/yaml/raw?projectKey=conf", {
        service_name: name,
        yaml: manifest(name, kind, reads),
      });
    const definitions = [
      { key: "colour", value: "red", type: "string", options: [], desc: "of the page" },
      { key: "size", value: "s", type: "enum", options: ["s", "m"], desc: "" },
    ];
    await succeed("PUT", "/api/aslan/project/products/conf/globalVariables", { global_variables: definitions });
    await succeed("POST", "/openapi/service/yaml/raw?projectKey=conf", {
      service_name: "painted",
      yaml: `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: painted }\ndata: { colour: "{{.colour}}" }\n`,
      variable_yaml: [{ key: "colour", value: "grey", type: "string" }],
    });
    await succeed("POST", `${environments}?projectKey=conf`, {
      env_key: "dev",
      cluster_id: localClusterId,
      namespace,
      registry_id: "0123456789abcdef12345679",
      env_configs: [
        { yaml_data: configMap("first", { where: "$Namespace$/$EnvName$" }), common_env_cfg_type: "ConfigMap" },
      ],
      global_variables: [{ key: "colour", value: "red" }],
      services: [
        ...Object.keys(readers).map((service_name) => ({ service_name, type: "k8s" })),
        {
          service_name: "painted",
          type: "k8s",
          variable_kvs: [{ key: "colour", value: "", use_global_variable: true }],
        },
      ],
    });
    await untilStatus(slipway, "conf", "dev", "running", 120);
  }, 180_000);

  afterAll(async () => {
    await client.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
    client.close();
    await slipway.close();
  });

  async function succeed(method: string, path: string, body?: unknown): Promise<void> {
    const answer = await slipway.call(method, path, { ...(body !== undefined && { body }) });
    expect(answer.text, `${method} ${path}`).toBe(success);
  }

  async function refused(method: string, path: string, body?: unknown): Promise<Failure> {
    const answer = await slipway.call<Failure>(method, path, { ...(body !== undefined && { body }) });
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    return answer.json;
  }

  async function find(kind: string, name: string): Promise<LiveObject | undefined> {
    const apiVersion = kind === "Ingress" ? "networking.k8s.io/v1" : "v1";
    try {
      return await client.get({ apiVersion, kind, name, namespace });
    } catch (error) {
      if (error instanceof ClusterNotFound) return undefined;
      throw error;
    }
  }

  /** When each workload was restarted last; undefined for never. */
  async function restarts(): Promise<Record<string, string | undefined>> {
    const entries = Object.entries(readers).map(async ([name, [kind]]) => {
      const { spec } = await client.get({ apiVersion: "apps/v1", kind, name, namespace });
      const { metadata } = (spec as { template: { metadata: LiveObject["metadata"] } }).template;
      return [name, metadata.annotations?.["kubectl.kubernetes.io/restartedAt"]] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  const path = (rest: string, query = "") => `${environments}${rest}?projectKey=conf${query}`;
  const one = (name: string, type: string) => path(`/dev/envcfg/${name}`, `&type=${type}`);
  const config = (name: string, common_env_cfg_type: string, yaml_data: string) => ({
    name,
    common_env_cfg_type,
    yaml_data,
  });
  const set = (global_variables: object[]) => ({ global_variables });
  const history = async (name: string, type: string, more = "") =>
    (await slipway.call<Change[]>("GET", path(`/dev/envcfg/${name}/history`, `&type=${type}${more}`))).json;

  describe(`configuration objects on ${cluster}`, () => {
    test("those of the environment's creation are there with their first history record", async () => {
      const first = await find("ConfigMap", "first");
      expect(first?.data).toEqual({ where: `${namespace}/dev` });
      expect(first?.metadata.labels).toMatchObject({ "s-product": "conf", "s-env": "dev" });
      expect(await history("first", "ConfigMap")).toEqual([
        expect.objectContaining({ revision: 1, operation: "create", yaml_data: expect.stringContaining("$EnvName$") }),
      ]);
    });

    test("a ConfigMap is created in the namespace, once, and shown in list and detail", async () => {
      const body = {
        ...config("said", "ConfigMap", configMap("settings", { colour: "red", old: "1" })),
        services: ["a"],
      };
      await succeed("POST", path("/dev/envcfgs"), body);
      expect((await find("ConfigMap", "settings"))?.data).toEqual({ colour: "red", old: "1" });
      expect((await refused("POST", path("/dev/envcfgs"), body)).code).toBe(6090);
      const list = await slipway.call<{ name: string }[]>("GET", path("/dev/envcfgs", "&type=ConfigMap"));
      expect(list.json.find(({ name }) => name === "settings")).toEqual({
        name: "settings",
        env_name: "dev",
        project_name: "conf",
        common_env_cfg_type: "ConfigMap",
        update_by: "admin",
        update_time: expect.any(Number),
      });
      // Of the service `painted`: not made through this API, so without an author.
      expect(list.json.find(({ name }) => name === "painted")).not.toHaveProperty("update_by");
      const detail = await slipway.call<{ configMap_detail: Record<string, unknown> }>(
        "GET",
        one("settings", "ConfigMap"),
      );
      expect(Object.keys(detail.json)).toEqual(["configMap_detail"]);
      const shown = detail.json.configMap_detail;
      expect(shown).toMatchObject({
        name: "settings",
        project_key: "conf",
        env_key: "dev",
        created_by: "admin",
        cm_data: { colour: "red", old: "1" },
        services: ["a"],
        source_detail: null,
      });
      expect(shown.yaml_data).toContain("kind: ConfigMap");
      expect(shown.yaml_data).not.toContain("managedFields");
      expect(shown).not.toHaveProperty("immutable");
    });

    test("an update replaces the data and restarts exactly the workloads that refer to the object", async () => {
      expect(Object.values(await restarts())).toEqual(Array(5).fill(undefined));
      const at = { apiVersion: "v1", kind: "ConfigMap", name: "settings", namespace };
      await client.patch(at, { type: "merge", body: { data: { byHand: "yes" } } });
      const body = { ...config("settings", "ConfigMap", configMap("settings", { colour: "blue" })), env_key: "dev" };
      await succeed("PUT", path("/envcfgs"), body);
      expect((await find("ConfigMap", "settings"))?.data).toEqual({ colour: "blue" });
      const after = await restarts();
      expect(Object.keys(after).filter((name) => after[name] !== undefined)).toEqual([
        "byvolume",
        "byprojection",
        "byenv",
      ]);
      const changes = await history("settings", "ConfigMap");
      expect(changes.map(({ revision, operation }) => [revision, operation])).toEqual([
        [2, "update"],
        [1, "create"],
      ]);
      expect(changes[0]).toMatchObject({ yaml_data: configMap("settings", { colour: "blue" }), create_by: "admin" });
      const second = await history("settings", "ConfigMap", "&pageNum=2&pageSize=1");
      expect(second.map(({ revision }) => revision)).toEqual([1]);
      await untilStatus(slipway, "conf", "dev", "running", 90);
    });

    test("a Secret is taken over when it is there, restarts its readers, and shows in no operation log", async () => {
      const secret = (stringData: object) =>
        JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "login" }, stringData });
      await succeed("POST", path("/dev/envcfgs"), config("login", "Secret", secret({ key: "hush-hush", more: "x" })));
      await succeed("POST", path("/dev/envcfgs"), config("login", "Secret", secret({ key: "hush-hush" })));
      expect((await find("Secret", "login"))?.data).toEqual({ key: Buffer.from("hush-hush").toString("base64") });
      const body = { ...config("login", "Secret", secret({ key: "hush-again" })), env_key: "dev" };
      await succeed("PUT", path("/envcfgs"), body);
      expect((await restarts()).bysecret).toBeDefined();
      const detail = await slipway.call<{ secret_detail: object }>("GET", one("login", "Secret"));
      expect(detail.json.secret_detail).toMatchObject({ name: "login", secret_type: "Opaque" });
      expect((await history("login", "Secret"))[0]?.yaml_data).toBe(secret({ key: "hush-again" }));
      // In flow style and under another type's name, too.
      await refused("POST", path("/dev/envcfgs"), config("login", "ConfigMap", secret({ key: "hush-refused" })));
      const log = await slipway.call("GET", "/openapi/system/operation?searchType=all&perPage=100&page=1");
      expect(log.text).toContain("dev:Secret:login");
      expect(log.text).not.toContain("hush-");
    });

    test("an Ingress and a PVC carry the fields of their kind; a deletion ends their history", async () => {
      const service = { name: "web", port: { number: 80 } };
      const ingress = {
        apiVersion: "networking.k8s.io/v1",
        kind: "Ingress",
        metadata: { name: "door" },
        spec: {
          rules: [
            { host: "a.example.com", http: { paths: [{ path: "/", pathType: "Prefix", backend: { service } }] } },
          ],
        },
      };
      const claim = {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "disk" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      };
      await succeed("POST", path("/dev/envcfgs"), config("door", "Ingress", JSON.stringify(ingress)));
      await succeed("POST", path("/dev/envcfgs"), config("disk", "PVC", JSON.stringify(claim)));
      expect((await refused("POST", path("/dev/envcfgs"), config("disk", "PVC", JSON.stringify(claim)))).code).toBe(
        6095,
      );
      const door = await slipway.call<{ ingress_detail: object }>("GET", one("door", "Ingress"));
      expect(door.json.ingress_detail).toMatchObject({ host_info: "a.example.com", ports: "80" });
      const disk = await slipway.call<{ pvc_detail: object }>("GET", one("disk", "PVC"));
      expect(disk.json.pvc_detail).toMatchObject({ access_modes: "RWO", capacity: "1Gi" });
      const all = await slipway.call<{ name: string }[]>("GET", path("/dev/envcfgs"));
      expect(all.json.map(({ name }) => name)).toEqual(expect.arrayContaining(["settings", "login", "door", "disk"]));
      await succeed("DELETE", one("door", "Ingress"));
      expect(await find("Ingress", "door")).toBeUndefined();
      expect((await refused("GET", one("door", "Ingress"))).code).toBe(404);
      expect((await history("door", "Ingress")).map(({ operation }) => operation)).toEqual(["delete", "create"]);
      await succeed("DELETE", one("door", "Ingress"));
      expect(await history("door", "Ingress")).toHaveLength(2);
    });

    test("what is wrong is refused with its code and changes nothing", async () => {
      const put = (body: object) => refused("PUT", path("/envcfgs"), { env_key: "dev", ...body });
      const post = (body: object) => refused("POST", path("/dev/envcfgs"), body);
      const other = configMap("other", {});
      expect((await put(config("settings", "ConfigMap", other))).code).toBe(6089);
      const secret = JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "x" } });
      expect((await put(config("login", "Secret", secret))).code).toBe(6095);
      expect((await put(config("x", "ConfigMap", secret))).code).toBe(6076);
      expect(await put(config("x", "ConfigMap", "a: ["))).toMatchObject({ code: 6076 });
      expect((await put(config("other", "ConfigMap", other))).code).toBe(404);
      expect((await post(config("x", "ConfigMap", secret))).code).toBe(6095);
      expect((await post(config("x", "ConfigMap", `${other}\n---\n${other}`))).code).toBe(6090);
      expect((await post(config("x", "Ingress", "a: ["))).code).toBe(6095);
      expect((await post(config("x", "Deployment", other))).code).toBe(400);
      expect(await post({})).toMatchObject({ code: 400, description: expect.stringContaining("yaml_data") });
      const invalid = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, data: [] });
      expect((await post(config("x", "ConfigMap", invalid))).code).toBe(6090);
      const ofService = await post(config("painted", "ConfigMap", configMap("painted", {})));
      expect(ofService.code).toBe(6090);
      const taken = await put(config("painted", "ConfigMap", configMap("painted", {})));
      expect(taken).toMatchObject({ code: 6089, description: expect.stringContaining('service "painted"') });
      expect((await refused("DELETE", one("default-registry-secret", "Secret"))).code).toBe(6096);
      const untyped = await refused("DELETE", path("/dev/envcfg/settings"));
      expect(untyped).toMatchObject({ code: 400, description: expect.stringContaining("type is empty") });
      for (const at of ["/nowhere/envcfgs", "/production/dev/envcfgs"])
        expect((await refused("GET", path(at))).code, at).toBe(404);
      expect((await refused("GET", path("/dev/envcfgs", "&type=Pod"))).code).toBe(400);
      expect(await find("ConfigMap", "other")).toBeUndefined();
      expect((await find("ConfigMap", "settings"))?.data).toEqual({ colour: "blue" });
    });

    test("of ten changes of one object at the same moment each 200 is a change of its own", async () => {
      const change = async (at: number) => {
        const yaml = configMap("settings", { colour: `c${at}` });
        const body = { ...config("settings", "ConfigMap", yaml), env_key: "dev" };
        return slipway.call<Failure>("PUT", path("/envcfgs"), { body });
      };
      const before = (await history("settings", "ConfigMap")).length;
      const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => change(at)));
      const won = answers.filter(({ status }) => status === 200);
      expect(won.length).toBeGreaterThan(0);
      for (const { status, json } of answers) if (status !== 200) expect(json.code).toBe(6089);
      const changes = await history("settings", "ConfigMap");
      expect(changes.length - before).toBe(won.length);
      const { data } = JSON.parse(changes[0]?.yaml_data ?? "{}");
      expect((await find("ConfigMap", "settings"))?.data).toEqual(data);
    });
  });

  describe(`global variables on ${cluster}`, () => {
    const variables = path("/dev/variable");

    test("a changed value reaches the services that take it, at the revision that they have", async () => {
      const listed = await slipway.call("GET", variables);
      expect(listed.json).toEqual([
        {
          key: "colour",
          value: "red",
          type: "string",
          options: [],
          desc: "of the page",
          related_services: ["painted"],
        },
      ]);
      // A newer revision must not come along.
      await succeed("PUT", "/openapi/service/yaml/painted?projectKey=conf", {
        type: "k8s",
        yaml: `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: painted }\ndata: { colour: "{{.colour}}", newer: "1" }\n`,
      });
      await succeed(
        "PUT",
        variables,
        set([
          { key: "colour", value: "green" },
          { key: "size", value: "m", type: "bool" },
        ]),
      );
      await untilStatus(slipway, "conf", "dev", "running", 90);
      expect((await find("ConfigMap", "painted"))?.data).toEqual({ colour: "green" });
      expect((await slipway.call<object[]>("GET", variables)).json).toEqual([
        expect.objectContaining({ key: "colour", value: "green", related_services: ["painted"] }),
        { key: "size", value: "m", type: "enum", options: ["s", "m"], desc: "", related_services: [] },
      ]);
    });

    test("what may not be is 6076 and leaves the list; an equal list does nothing", async () => {
      const before = await slipway.call("GET", variables);
      const all = [
        { key: "colour", value: "green" },
        { key: "size", value: "m" },
      ];
      const inUse = await refused("PUT", variables, set([{ key: "size", value: "m" }]));
      expect(inUse).toMatchObject({ code: 6076, description: expect.stringContaining("painted") });
      expect((await refused("PUT", variables, set([...all, { key: "unknown", value: "" }]))).code).toBe(6076);
      expect((await refused("PUT", variables, set([all[0] ?? {}, { key: "size", value: "xl" }]))).code).toBe(6076);
      expect((await refused("PUT", variables, set([...all, ...all]))).code).toBe(400);
      const production = path("/production/dev/variable");
      expect((await refused("GET", production)).code).toBe(404);
      expect((await refused("PUT", production, set([]))).code).toBe(404);
      const updated = async () => (await detailOf(slipway, "conf", "dev")) as { update_time?: number };
      const { update_time } = await updated();
      await succeed("PUT", variables, set(all));
      expect((await updated()).update_time).toBe(update_time);
      expect((await slipway.call("GET", variables)).json).toEqual(before.json);
      await succeed("PUT", variables, set(all.slice(0, 1)));
      expect((await slipway.call<object[]>("GET", variables)).json).toHaveLength(1);
    });
  });

  describe(`a production environment on ${cluster}`, () => {
    test("has the same forms on its own paths, and marks nothing with the short labels", async () => {
      const inside = `${namespace}-prod`;
      await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: inside } });
      const at = `${environments}/production`;
      try {
        await succeed("POST", `${at}?projectKey=conf`, {
          env_key: "live",
          cluster_id: localClusterId,
          namespace: inside,
          registry_id: "0123456789abcdef12345679",
        });
        const list = `${at}/live/envcfgs?projectKey=conf`;
        const settled = async () =>
          (
            await slipway.call<{ code?: number }>("POST", list, {
              body: config("a", "ConfigMap", configMap("a", { k: "v" })),
            })
          ).text;
        await expect.poll(settled, { timeout: 30_000 }).toBe(success);
        const ref = { apiVersion: "v1", kind: "ConfigMap", name: "a", namespace: inside };
        expect(Object.keys((await client.get(ref)).metadata.labels ?? {})).toEqual(["slipway.dev/environment"]);
        const body = { ...config("a", "ConfigMap", configMap("a", { k: "w" })), env_key: "live" };
        expect((await refused("PUT", path("/envcfgs"), body)).code).toBe(404);
        await succeed("PUT", `${at}/envcfgs?projectKey=conf`, body);
        const single = `${at}/live/envcfg/a?projectKey=conf&type=ConfigMap`;
        expect((await slipway.call("GET", single)).json).toMatchObject({ configMap_detail: { cm_data: { k: "w" } } });
        await succeed("DELETE", single);
        await succeed("PUT", `${at}/live/variable?projectKey=conf`, set([]));
        expect((await slipway.call("GET", `${at}/live/variable?projectKey=conf`)).json).toEqual([]);
        const log = await slipway.call("GET", "/openapi/system/operation?searchType=all&perPage=100&page=1");
        expect(log.text).toContain("Production Environment Configuration");
      } finally {
        await client.remove({ apiVersion: "v1", kind: "Namespace", name: inside });
      }
    });
  });
}
