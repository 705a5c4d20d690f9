import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { type Detail, detailOf, localClusterId, untilStatus } from "./boutique.ts";
import { type Standing, untilStored } from "./environmentSuite.ts";
import { indexesShowAll } from "./indexesShowAll.ts";
import { deploymentYaml } from "./manifests.ts";
import type { Answer, Slipway } from "./slipway.ts";
import { waitFor } from "./waitFor.ts";

interface Refusal {
  code: number;
  description: string;
}

interface Problem {
  kind: string;
  name: string;
  reason: string;
  message: string;
  since: number;
}

const environments = "/openapi/environments";
const success = '{"message":"success"}';
/** Long before a wait ends by itself, after 300 seconds. */
const earlySeconds = 120;

/** Whether a cluster has what a test needs; the sandbox has no scheduler and counts no quota. */
interface Abilities {
  realControllers: boolean;
}

/** That what is said of an environment and its services is what is the case, on every cluster. */
export function statusSuite(cluster: string, can: Abilities, open: () => Promise<Standing>): void {
  let slipway: Slipway;
  let client: ClusterClient;
  const namespaces: string[] = [];

  const newNamespace = (): string => {
    const namespace = `slipway-test-${randomBytes(4).toString("hex")}`;
    namespaces.push(namespace);
    return namespace;
  };

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
    await done(slipway.call("POST", "/openapi/projects/project", { body: project }));
  });

  afterAll(async () => {
    for (const name of namespaces) await client.remove({ apiVersion: "v1", kind: "Namespace", name });
    client.close();
    await slipway.close();
  });

  async function done(answer: Promise<Answer>): Promise<void> {
    const { status, text } = await answer;
    expect(text, String(status)).toBe(success);
  }

  function add(service_name: string, yaml: string): Promise<void> {
    return done(slipway.call("POST", "/openapi/service/yaml/raw?projectKey=shop", { body: { service_name, yaml } }));
  }

  function save(service: string, yaml: string): Promise<void> {
    const path = `/openapi/service/yaml/${service}?projectKey=shop`;
    return done(slipway.call("PUT", path, { body: { type: "k8s", yaml } }));
  }

  function create(env_key: string, services: readonly string[], namespace = newNamespace()): Promise<Answer<Refusal>> {
    const body = {
      ...{ env_key, namespace, cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" },
      services: services.map((service_name) => ({ service_name, type: "k8s" })),
    };
    return slipway.call("POST", `${environments}?projectKey=shop`, { body });
  }

  function update(env_key: string, service_name: string): Promise<Answer<Refusal>> {
    const body = { env_key, service_list: [{ service_name }] };
    return slipway.call("PUT", `${environments}/service/yaml?projectKey=shop`, { body });
  }

  async function listed(envKey: string): Promise<string | undefined> {
    await indexesShowAll();
    const { json } = await slipway.call<{ env_key: string; status: string }[]>(
      "GET",
      `${environments}?projectKey=shop`,
    );
    return json.find(({ env_key }) => env_key === envKey)?.status;
  }

  async function problemsOf(envKey: string, service: string): Promise<Problem[]> {
    const path = `${environments}/${envKey}/services/${service}?projectKey=shop&workLoadtype=Deployment`;
    const { json } = await slipway.call<{ problems: Problem[] }>("GET", path);
    for (const { since } of json.problems) expect(Math.abs(since - Date.now() / 1000)).toBeLessThan(600);
    return json.problems;
  }

  function serviceOf({ services }: Detail, name: string) {
    const found = services.find(({ service_name }) => service_name === name);
    if (found === undefined) throw new Error(`there is no service ${name}`);
    return found;
  }

  const detail = (envKey: string): Promise<Detail> => detailOf(slipway, "shop", envKey);
  const deployment = (name: string, namespace: string) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    name,
    namespace,
  });

  const newGroup = () => `slipway-${randomBytes(4).toString("hex")}.example`;
  const definitionOf = (group: string) => ({
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: `dbs.${group}` },
    spec: {
      ...{ group, scope: "Namespaced", names: { kind: "Db", plural: "dbs", singular: "db" } },
      versions: [
        {
          ...{ name: "v1", served: true, storage: true },
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  });
  const objectOf = ({ spec: { group } }: ReturnType<typeof definitionOf>) => ({
    ...{ apiVersion: `${group}/v1`, kind: "Db", metadata: { name: "main" }, spec: { size: 1 } },
  });

  describe(`a change that fails on ${cluster}`, () => {
    test("in an update is failed in list, detail and service, with the images that run, until one succeeds", async () => {
      await add("web", deploymentYaml("web", "web:1"));
      await add("cache", deploymentYaml("cache", "cache:1"));
      await done(create("refused", ["web", "cache"]));
      await untilStatus(slipway, "shop", "refused", "running");
      const changed = JSON.parse(deploymentYaml("web", "web:2"));
      changed.spec.selector.matchLabels = { app: "other" };
      changed.spec.template.metadata.labels = { app: "other" };
      await save("web", JSON.stringify(changed));
      await done(update("refused", "web"));
      await untilStored(slipway, "refused", "failed");
      const failed = await detail("refused");
      expect(await listed("refused")).toBe("failed");
      expect(failed.status).toBe("error");
      expect(failed.error).toMatch(/^service web: .*Deployment.*"web".*immutable/);
      expect(serviceOf(failed, "web")).toMatchObject({ status: "failed", containers: [{ image: "web:1" }] });
      expect(serviceOf(failed, "web").error).toMatch(/immutable/);
      expect(serviceOf(failed, "cache")).toMatchObject({ status: "running", error: "" });
      const [first] = await problemsOf("refused", "web");
      expect(first).toMatchObject({ kind: "Deployment", name: "web", reason: "Refused" });
      expect(first?.message).toMatch(/immutable/);
      // Another service's change does not hide it.
      await done(update("refused", "cache"));
      await untilStored(slipway, "refused", "failed");
      expect((await detail("refused")).error).toMatch(/^service web: .*immutable/);
      await save("web", deploymentYaml("web", "web:3"));
      await done(update("refused", "web"));
      await untilStored(slipway, "refused", "success");
      const mended = await untilStatus(slipway, "shop", "refused", "running");
      expect(mended.error).toBe("");
      expect(serviceOf(mended, "web")).toMatchObject({
        status: "running",
        error: "",
        containers: [{ image: "web:3" }],
      });
      expect(await problemsOf("refused", "web")).toEqual([]);
    });

    test("leaves no service succeeded whose object was refused, nor one running whose job failed", async () => {
      const refused = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { "a key": "1" } };
      await add("settings", JSON.stringify(refused));
      const containers = [{ name: "main", image: "job:crash" }];
      const template = { spec: { restartPolicy: "Never", containers } };
      const job = {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: "once" },
        spec: { backoffLimit: 0, template },
      };
      await add("once", JSON.stringify(job));
      await done(create("half", ["settings", "once", "cache"]));
      await untilStored(slipway, "half", "failed");
      const failed = await detail("half");
      expect(failed.services.map(({ service_name, status }) => [service_name, status])).toEqual([
        ["cache", "running"],
        ["once", "failed"],
        ["settings", "failed"],
      ]);
      expect(failed.error).toMatch(/service once: Job "once": .*; service settings: .*a key/);
      expect((await problemsOf("half", "settings"))[0]).toMatchObject({ kind: "ConfigMap", reason: "Refused" });
    });
  });

  describe(`a wait on ${cluster}`, () => {
    const slow = (image: string, minReadySeconds: number): string => {
      const object = JSON.parse(deploymentYaml("slow", image));
      return JSON.stringify({ ...object, spec: { ...object.spec, minReadySeconds, progressDeadlineSeconds: 7200 } });
    };

    test("locks nothing once everything is applied: the next change takes it over", async () => {
      const namespace = newNamespace();
      await add("slow", slow("slow:1", 3600));
      await done(create("waiting", ["slow", "cache"], namespace));
      await waitFor("the change to be accepted", async () => (await update("waiting", "cache")).text === success, 30);
      const taken = await waitFor("the update to wait", async () => {
        const seen = await detail("waiting");
        return seen.stored_status === "updating" && serviceOf(seen, "cache").status === "running" && seen;
      });
      expect(taken.error).toBe("");
      // What the creation waited for is not forgotten, and becomes ready by another hand.
      await client.patch(deployment("slow", namespace), { type: "merge", body: { spec: { minReadySeconds: 0 } } });
      await untilStored(slipway, "waiting", "success");
      expect(await untilStatus(slipway, "shop", "waiting", "running")).toMatchObject({ error: "" });
    });

    test("of a service that is taken out ends", async () => {
      await done(create("leaving", ["slow", "cache"]));
      const path = `${environments}/service/yaml?projectKey=shop`;
      const body = { env_key: "leaving", service_names: ["slow"] };
      const remove = async () => (await slipway.call("DELETE", path, { body })).text === success;
      await waitFor("the removal to be accepted", remove, 30);
      await untilStored(slipway, "leaving", "success");
      expect((await detail("leaving")).services.map(({ service_name }) => service_name)).toEqual(["cache"]);
    });

    test("over a kind that comes meanwhile tries it once more at the end", async () => {
      const definition = definitionOf(newGroup());
      const tenant = objectOf(definition);
      await add("tenant", JSON.stringify(tenant));
      const namespace = newNamespace();
      await done(create("brought", ["slow", "tenant"], namespace));
      const kindMissing = async () => serviceOf(await detail("brought"), "tenant").error.includes("has no kind Db");
      await waitFor("the kind to be missed", kindMissing);
      try {
        // As an operator does that is deployed with the change.
        await client.create(definition);
        const served = () => client.resource(tenant).catch(() => undefined);
        await waitFor("the kind to be served", served);
        await client.patch(deployment("slow", namespace), { type: "merge", body: { spec: { minReadySeconds: 0 } } });
        await untilStored(slipway, "brought", "success");
        expect(serviceOf(await detail("brought"), "tenant")).toMatchObject({ error: "" });
        const live = await client.get({ ...tenant, name: "main", namespace });
        expect(live).toMatchObject({ spec: { size: 1 } });
      } finally {
        await client.remove({ ...definition, name: definition.metadata.name });
      }
    });

    test("for an image that does not exist ends early, and its error goes when somebody mends it by hand", async () => {
      const namespace = newNamespace();
      await add("absent", deploymentYaml("absent", "absent:missing"));
      await done(create("early", ["absent", "cache"], namespace));
      await waitFor("the wait to end", async () => (await listed("early")) === "failed", earlySeconds);
      const sentence = /^service absent: Deployment "absent": image absent:missing of container main cannot be pulled/;
      const failed = await detail("early");
      expect(failed).toMatchObject({ status: "error", error: expect.stringMatching(sentence) });
      expect(serviceOf(failed, "absent")).toMatchObject({ status: "failed", error: expect.stringContaining("image") });
      expect(serviceOf(failed, "cache")).toMatchObject({ status: "running", error: "" });
      const containers = [{ name: "main", image: "absent:1" }];
      const body = { spec: { template: { spec: { containers } } } };
      await client.patch(deployment("absent", namespace), { type: "strategic", body });
      const mended = await untilStatus(slipway, "shop", "early", "running");
      expect(mended).toMatchObject({ stored_status: "success", error: "" });
      expect(serviceOf(mended, "absent")).toMatchObject({ status: "running", error: "" });
      expect(await listed("early")).toBe("success");
    });

    test("after an update ends early too, for a container that crashed five times", async () => {
      await add("frail", deploymentYaml("frail", "frail:1"));
      await done(create("crashing", ["frail"]));
      await untilStatus(slipway, "shop", "crashing", "running");
      // A container that crashes is ready for a moment first, which may be long enough for the rollout to count as done.
      const crashing = JSON.parse(deploymentYaml("frail", "frail:crash"));
      await save("frail", JSON.stringify({ ...crashing, spec: { ...crashing.spec, minReadySeconds: 30 } }));
      await done(update("crashing", "frail"));
      await waitFor("the wait to end", async () => (await listed("crashing")) === "failed", earlySeconds);
      const failed = await detail("crashing");
      expect(failed.error).toMatch(/^service frail: Deployment "frail": container main ended .*started again 5 times/);
      await save("frail", deploymentYaml("frail", "frail:2"));
      await done(update("crashing", "frail"));
      await untilStored(slipway, "crashing", "success");
      expect(await untilStatus(slipway, "shop", "crashing", "running")).toMatchObject({ error: "" });
    });

    test.runIf(can.realControllers)(
      "for a quota, and for a node that no pod finds for a minute, ends early",
      async () => {
        const namespace = newNamespace();
        await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
        const metadata = { name: "small", namespace };
        await client.create({ apiVersion: "v1", kind: "ResourceQuota", metadata, spec: { hard: { pods: "0" } } });
        await done(create("full", ["cache"], namespace));
        const nowhere = JSON.parse(deploymentYaml("nowhere", "nowhere:1"));
        nowhere.spec.template.spec.nodeSelector = { disk: "none" };
        await add("nowhere", JSON.stringify(nowhere));
        await done(create("unplaced", ["nowhere"]));
        await waitFor("the quota to end the wait", async () => (await listed("full")) === "failed", earlySeconds);
        expect((await detail("full")).error).toMatch(/the quota small of the namespace is exceeded/);
        await waitFor(
          "the scheduler to end the wait",
          async () => (await listed("unplaced")) === "failed",
          earlySeconds,
        );
        expect((await detail("unplaced")).error).toMatch(/no node can take the pod/);
      },
    );
  });

  describe(`what was done by another hand on ${cluster} is told`, () => {
    const drifted = async (envKey: string): Promise<string[]> => {
      const path = `${environments}/${envKey}/drift?projectKey=shop`;
      const { json } = await slipway.call<{ objects: { kind: string; name: string; state: string }[] }>("GET", path);
      return json.objects.map(({ kind, name, state }) => `${kind} ${name} ${state}`);
    };

    async function absent(kind: { apiVersion: string; kind: string; name: string; namespace?: string }): Promise<void> {
      const fieldSelector = `metadata.name=${kind.name}`;
      const look = async () =>
        (await client.list(kind, { namespace: kind.namespace, fieldSelector })).items.length === 0;
      await waitFor(`${kind.kind} ${kind.name} to be gone`, look, 60);
    }

    test("a workload and a whole namespace that were deleted, which an update makes again", async () => {
      const namespace = newNamespace();
      await done(create("robbed", ["cache", "web"], namespace));
      await untilStatus(slipway, "shop", "robbed", "running");
      await client.remove(deployment("cache", namespace));
      await absent(deployment("cache", namespace));
      const robbed = await untilStatus(slipway, "shop", "robbed", "unstable");
      expect(robbed.error).toMatch(/^service cache: Deployment "cache" does not exist in the cluster: it was deleted/);
      expect((await problemsOf("robbed", "cache"))[0]).toMatchObject({ kind: "Deployment", reason: "Missing" });
      await done(update("robbed", "cache"));
      expect(await untilStatus(slipway, "shop", "robbed", "running")).toMatchObject({ error: "" });

      await client.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
      await absent({ apiVersion: "v1", kind: "Namespace", name: namespace });
      const gone = await untilStatus(slipway, "shop", "robbed", "unknown");
      expect(gone.error).toMatch(
        /namespace "slipway-test-.*" does not exist in the cluster: .*an update .* makes it again/,
      );
      for (const service of ["cache", "web"]) {
        await done(update("robbed", service));
        await untilStored(slipway, "robbed", "success");
      }
      expect(await untilStatus(slipway, "shop", "robbed", "running")).toMatchObject({ error: "" });
    });

    test("a job that its time to live removed has succeeded", async () => {
      const namespace = newNamespace();
      const template = {
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox:1", command: ["true"] }] },
      };
      const spec = { ttlSecondsAfterFinished: 1, template };
      await add("brief", JSON.stringify({ apiVersion: "batch/v1", kind: "Job", metadata: { name: "brief" }, spec }));
      await done(create("jobs", ["brief"], namespace));
      await untilStored(slipway, "jobs", "success");
      await absent({ apiVersion: "batch/v1", kind: "Job", name: "brief", namespace });
      expect(serviceOf(await detail("jobs"), "brief")).toMatchObject({ status: "succeeded", error: "" });
      expect(await problemsOf("jobs", "brief")).toMatchObject([{ kind: "Job", name: "brief", reason: "Expired" }]);
    });

    test("a kind whose definition was deleted, with all its objects", async () => {
      const group = newGroup();
      const definition = definitionOf(group);
      await add("db", `${JSON.stringify(definition)}\n---\n${JSON.stringify(objectOf(definition))}`);
      await done(create("databases", ["db"]));
      await untilStored(slipway, "databases", "success");
      expect(await drifted("databases")).toEqual([]);
      const { apiVersion, kind } = definition;
      await client.remove({ apiVersion, kind, name: definition.metadata.name });
      await absent({ apiVersion, kind, name: definition.metadata.name });
      expect(await drifted("databases")).toEqual([`CustomResourceDefinition dbs.${group} missing`, "Db main missing"]);
      const told = await waitFor("the missing object", async () => {
        const service = serviceOf(await detail("databases"), "db");
        return service.error !== "" && service;
      });
      expect(told).toMatchObject({ status: "unstable", error: expect.stringContaining('Db "main" does not exist') });
    });

    test("a definition of a service that was deleted, and a deletion that a finalizer holds", async () => {
      const namespace = newNamespace();
      const held = JSON.parse(deploymentYaml("held", "held:1"));
      await add("held", JSON.stringify({ ...held, metadata: { ...held.metadata, finalizers: ["example.com/held"] } }));
      await done(create("stuck", ["held"], namespace));
      await untilStatus(slipway, "shop", "stuck", "running");
      await done(slipway.call("DELETE", "/openapi/service/yaml/held?projectKey=shop"));
      const orphan = serviceOf(await detail("stuck"), "held");
      expect(orphan).toMatchObject({
        status: "failed",
        error: expect.stringContaining("definition of service held was deleted"),
      });
      expect((await problemsOf("stuck", "held"))[0]).toMatchObject({ reason: "DefinitionDeleted" });
      await done(slipway.call("DELETE", `${environments}/stuck?projectKey=shop&isDelete=true`));
      const told = await waitFor("the reason", async () => {
        const { status, error } = await detail("stuck");
        return status === "deleting" && error !== "" && error;
      });
      expect(told).toMatch(/Deployment "held" is being deleted, but its finalizers hold it \(example\.com\/held\)/);
      await client.patch(deployment("held", namespace), { type: "merge", body: { metadata: { finalizers: null } } });
      const path = `${environments}/stuck?projectKey=shop`;
      await waitFor("it to be gone", async () => (await slipway.call("GET", path)).status === 404, 90);
    });

    test.runIf(can.realControllers)("a deletion that an API without a backend holds up", async () => {
      const group = newGroup();
      const service = { name: "nobody", namespace: "default" };
      const broken = {
        ...{ apiVersion: "apiregistration.k8s.io/v1", kind: "APIService", metadata: { name: `v1.${group}` } },
        spec: {
          ...{ group, version: "v1", service, insecureSkipTLSVerify: true },
          ...{ groupPriorityMinimum: 1000, versionPriority: 10 },
        },
      };
      const namespace = newNamespace();
      await done(create("blocked", ["cache"], namespace));
      await untilStored(slipway, "blocked", "success");
      await client.create(broken);
      try {
        await done(slipway.call("DELETE", `${environments}/blocked?projectKey=shop&isDelete=true`));
        const told = await waitFor(
          "the reason",
          async () => {
            const { status, error } = await detail("blocked");
            return status === "deleting" && error.includes("is blocked") && error;
          },
          90,
        );
        expect(told).toMatch(/^namespace "slipway-test-.*" is being deleted and is blocked: .*Discovery failed/);
        expect(told).toContain(group);
      } finally {
        await client.remove({ ...broken, name: broken.metadata.name });
      }
      const path = `${environments}/blocked?projectKey=shop`;
      await waitFor("it to be gone", async () => (await slipway.call("GET", path)).status === 404, 120);
    });

    test("data that is no base64 is that, and nothing about the cluster", async () => {
      const data = { password: "{{.password}}" };
      await add("login", JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "login" }, data }));
      const namespace = newNamespace();
      const body = {
        ...{ env_key: "secrets", namespace, cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" },
        services: [{ service_name: "login", variable_kvs: [{ key: "password", value: "no base64!" }] }],
      };
      await done(slipway.call("POST", `${environments}?projectKey=shop`, { body }));
      await untilStored(slipway, "secrets", "failed");
      const { error } = await detail("secrets");
      expect(error).toMatch(/Secret "login".*illegal base64/);
      expect(error).not.toMatch(/overloaded|try again/);
    });

    test("a namespace that is on its way out is waited for by the next creation", async () => {
      const namespace = newNamespace();
      const kind = { apiVersion: "v1", kind: "ConfigMap" };
      await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      await client.create({ ...kind, metadata: { name: "held", namespace, finalizers: ["example.com/held"] } });
      await client.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
      const created = create("next", ["cache"], namespace);
      const body = { metadata: { finalizers: null } };
      await client.patch({ ...kind, name: "held", namespace }, { type: "merge", body });
      await done(created);
      await untilStatus(slipway, "shop", "next", "running");
    });
  });
}
