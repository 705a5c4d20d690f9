import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keys } from "../../shared/base/store/keys/keys.ts";
import type { ClusterClient, LiveObject } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { findObject } from "../../shared/kube/client/findObject.ts";
import { detailOf, localClusterId } from "./boutique.ts";
import { type Standing, untilStored } from "./environmentSuite.ts";
import { type RawItems, rawItems } from "./rawItems.ts";
import type { Answer, Slipway } from "./slipway.ts";
import { waitFor } from "./waitFor.ts";

interface Refusal {
  code: number;
  description: string;
}
interface Preview {
  objects: {
    service_name: string;
    kind: string;
    name: string;
    action: string;
    diff: string;
    note?: string;
    foreign_objects?: number;
  }[];
}

const environments = "/openapi/environments";
const project = "projectKey=shop";
const owner = "slipway.dev/environment";

/** Objects that belong to no namespace, and several environments that have them: the same on every cluster. */
export function sharedObjectSuite(cluster: string, open: () => Promise<Standing>): void {
  let slipway: Slipway;
  let client: ClusterClient;
  let items: RawItems;
  const tag = randomBytes(4).toString("hex");
  const roleName = `slipway-test-${tag}`;
  const roleRef = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", name: roleName };
  const recordKey = keys.clusterObject(localClusterId, "ClusterRole.rbac.authorization.k8s.io", roleName);

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    items = rawItems;
    const shop = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
    await done("POST", "/openapi/projects/project", shop);
    await save("POST", "reader", role("get"), settings("reader"));
    await save("POST", "writer", role("update"));
    await save("POST", "plain", settings("plain"));
  });

  afterAll(async () => {
    for (const env of ["one", "two", "three", "kept"])
      await client.remove({ apiVersion: "v1", kind: "Namespace", name: namespaceOf(env) });
    await client.remove(roleRef);
    client.close();
    await slipway.close();
  });

  const role = (verb: string) => ({
    ...{ apiVersion: roleRef.apiVersion, kind: roleRef.kind, metadata: { name: roleName } },
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: [verb] }],
  });
  const settings = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "b" } });
  const namespaceOf = (env: string) => `slipway-test-${tag}-${env}`;

  async function done<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await slipway.call<T>(method, path, { body });
    expect(answer.status, answer.text).toBe(200);
    return answer.json;
  }
  function save(method: "POST" | "PUT", name: string, ...objects: object[]): Promise<unknown> {
    const yaml = objects.map((object) => JSON.stringify(object)).join("\n---\n");
    if (method === "PUT") return done("PUT", `/openapi/service/yaml/${name}?${project}`, { type: "k8s", yaml });
    return done("POST", `/openapi/service/yaml/raw?${project}`, { service_name: name, yaml });
  }
  function create(env: string, service: string): Promise<unknown> {
    return done("POST", `${environments}?${project}`, {
      ...{ env_key: env, namespace: namespaceOf(env), cluster_id: localClusterId },
      ...{ registry_id: "0123456789abcdef12345679", services: [{ service_name: service }] },
    });
  }
  const change = <T = Refusal>(
    method: "POST" | "PUT",
    env: string,
    service_name: string,
    query = "",
    more: object = {},
  ): Promise<Answer<T>> =>
    slipway.call(method, `${environments}/service/yaml?${project}${query}`, {
      body: { env_key: env, service_list: [{ service_name }], ...more },
    });
  const leave = <T>(env: string, service: string, query = "", more: object = {}) =>
    done<T>("DELETE", `${environments}/service/yaml?${project}${query}`, {
      ...{ env_key: env, service_names: [service], ...more },
    });
  async function removeEnvironment(env: string, query = ""): Promise<unknown> {
    const answer = await done("DELETE", `${environments}/${env}?${project}&isDelete=true${query}`);
    await waitFor(`${env} to be gone`, async () => {
      return (await slipway.call("GET", `${environments}/${env}?${project}`)).status === 404;
    });
    return answer;
  }
  const liveRole = (): Promise<LiveObject | undefined> => findObject(client, roleRef);
  const driftOf = (env: string) => done<{ in_sync: boolean }>("GET", `${environments}/${env}/drift?${project}`);

  describe(`an object without a namespace on ${cluster}`, () => {
    test("belongs to every environment that comes with equal content, also at the same moment", async () => {
      await Promise.all([create("one", "reader"), create("two", "reader"), create("three", "plain")]);
      for (const env of ["one", "two", "three"]) await untilStored(slipway, env, "success");
      expect(await liveRole()).toMatchObject({ rules: [{ verbs: ["get"] }] });
      expect([await driftOf("one"), await driftOf("two")]).toMatchObject([{ in_sync: true }, { in_sync: true }]);
      expect((await items.get(recordKey))?.owners).toHaveLength(2);
    });

    test("is refused with other content, naming who has it, in the dry run too", async () => {
      for (const query of ["", "&dryRun=true"]) {
        const added = await change("POST", "three", "writer", query);
        expect(added.json).toMatchObject({ code: 6076 });
        expect(added.json.description).toMatch(
          /ClusterRole "slipway-test-.*" belongs to service "reader" of environment "(one|two)" of project "shop" and service "reader" of environment "(one|two)" of project "shop" with other content/,
        );
      }
      await save("PUT", "reader", role("watch"), settings("reader"));
      const updated = await change("PUT", "one", "reader");
      expect(updated.json).toMatchObject({ code: 6076 });
      expect(updated.json.description).toContain('environment "two"');
      expect(updated.json.description).not.toContain('environment "one"');
      await save("PUT", "reader", role("get"), settings("reader"));
      expect(await liveRole()).toMatchObject({ rules: [{ verbs: ["get"] }] });
    });

    test("stays under the labels of who remains when the first leaves, by its YAML or with its environment", async () => {
      const before = await liveRole();
      const { owners } = (await items.get(recordKey)) as unknown as {
        owners: { environmentId: string; envKey: string }[];
      };
      const [first, second] = owners;
      if (first === undefined || second === undefined) throw new Error("the role does not belong to two environments");
      expect(before?.metadata.labels?.[owner]).toBe(first.environmentId);

      await save("PUT", "reader", settings("reader"));
      const shown = await change<Preview>("PUT", first.envKey, "reader", "&dryRun=true");
      expect(shown.json.objects.find(({ kind }) => kind === "ClusterRole")).toMatchObject({
        ...{ action: "unchanged", diff: "" },
        note: expect.stringContaining(`environment "${second.envKey}"`),
      });
      expect((await change("PUT", first.envKey, "reader")).status).toBe(200);
      await untilStored(slipway, first.envKey, "success");
      const after = await waitFor("the role to carry the labels of who remains", async () => {
        const live = await liveRole();
        return live?.metadata.labels?.[owner] === second.environmentId && live;
      });
      expect(after.metadata.uid).toBe(before?.metadata.uid);
      expect([await driftOf("one"), await driftOf("two")]).toMatchObject([{ in_sync: true }, { in_sync: true }]);

      await removeEnvironment(first.envKey);
      expect((await liveRole())?.metadata.uid).toBe(before?.metadata.uid);
      const gone = await leave<Preview>(second.envKey, "reader", "&dryRun=true");
      expect(gone.objects.map(({ kind, action }) => [kind, action]).sort()).toEqual([
        ["ClusterRole", "delete"],
        ["ConfigMap", "delete"],
      ]);
      await leave(second.envKey, "reader");
      expect(await liveRole()).toBeUndefined();
      expect(await items.get(recordKey)).toBeUndefined();
      await removeEnvironment(second.envKey);
    });

    test("that was there before who has it was recorded belongs to the environment of its labels", async () => {
      await save("PUT", "reader", role("get"), settings("reader"));
      await create("one", "reader");
      await untilStored(slipway, "one", "success");
      await items.remove(recordKey);
      expect((await change("POST", "three", "writer")).json).toMatchObject({
        ...{ code: 6076, description: expect.stringContaining('environment "one"') },
      });
      expect((await change("POST", "three", "reader")).status).toBe(200);
      await untilStored(slipway, "three", "success");
      expect((await items.get(recordKey))?.owners).toMatchObject([{ envKey: "one" }, { envKey: "three" }]);
      await leave("three", "reader");
      expect(await liveRole()).toBeDefined();
    });

    test("whose deletion was cut off is deleted and made anew by who comes next", async () => {
      const before = await liveRole();
      const record = await items.get(recordKey);
      if (record === undefined) throw new Error("nothing is recorded of the role");
      await items.put({ ...record, owners: [], leaving: before?.metadata.uid });
      expect((await change("POST", "three", "reader")).status).toBe(200);
      await untilStored(slipway, "three", "success");
      const after = await liveRole();
      expect(after?.metadata.uid).toBeDefined();
      expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
      expect((await items.get(recordKey))?.owners).toMatchObject([{ envKey: "three" }]);
      await leave("three", "reader");
      expect(await liveRole()).toBeUndefined();
    });
  });

  describe(`environments that come and leave on ${cluster}`, () => {
    test("at the same moment leave the object to who came, and to nobody when all are gone", async () => {
      await removeEnvironment("one");
      await Promise.all([create("one", "plain"), create("two", "plain")]);
      for (const env of ["one", "two"]) await untilStored(slipway, env, "success");
      expect((await change("POST", "one", "reader")).status).toBe(200);
      await untilStored(slipway, "one", "success");
      for (const [from, to] of [
        ["one", "two"],
        ["two", "one"],
        ["one", "two"],
      ] as const) {
        const [came] = await Promise.all([change("POST", to, "reader"), leave(from, "reader")]);
        expect(came.text).toBe('{"message":"success"}');
        await untilStored(slipway, to, "success");
        const detail = await detailOf(slipway, "shop", to);
        expect(detail.services.map(({ error }) => error)).toEqual(["", ""]);
        expect(await liveRole()).toMatchObject({ rules: [{ verbs: ["get"] }] });
        expect((await liveRole())?.metadata).not.toHaveProperty("deletionTimestamp");
        expect((await items.get(recordKey))?.owners).toMatchObject([{ envKey: to }]);
        expect(await driftOf(to)).toMatchObject({ in_sync: true });
      }
      await leave("two", "reader");
      expect(await liveRole()).toBeUndefined();
    });

    test("have it no more when their service goes and its objects stay", async () => {
      for (const env of ["one", "two"]) {
        expect((await change("POST", env, "reader")).status).toBe(200);
        await untilStored(slipway, env, "success");
      }
      await leave("one", "reader", "", { not_delete_resource: true });
      expect((await items.get(recordKey))?.owners).toMatchObject([{ envKey: "two" }]);
      await leave("two", "reader", "", { not_delete_resource: true });
      expect(await items.get(recordKey)).toBeUndefined();
      expect(await liveRole()).toBeDefined();
      expect((await change("POST", "three", "writer")).status).toBe(200);
      await untilStored(slipway, "three", "success");
      expect(await liveRole()).toMatchObject({ rules: [{ verbs: ["update"] }] });
      await leave("three", "writer");
      expect(await liveRole()).toBeUndefined();
      for (const env of ["one", "two"]) await removeEnvironment(env);
    });
  });

  describe(`a definition with objects of others on ${cluster}`, () => {
    const group = `t${tag}.example.com`;
    const definitionRef = {
      ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
      name: `crontabs.${group}`,
    };
    const names = { plural: "crontabs", singular: "crontab", kind: "CronTab", listKind: "CronTabList" };
    const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const definition = {
      ...{ apiVersion: definitionRef.apiVersion, kind: definitionRef.kind, metadata: { name: definitionRef.name } },
      spec: {
        ...{ group, scope: "Namespaced", names },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    };
    const cronTab = (name: string, namespace?: string) => {
      const metadata = { name, ...(namespace !== undefined && { namespace }) };
      return { apiVersion: `${group}/v1`, kind: "CronTab", metadata, spec: { every: "5m" } };
    };
    const kept = {
      code: "definition_kept",
      message: `CustomResourceDefinition "${definitionRef.name}" stays: its deletion would delete 1 object that is not of this environment; to delete it all the same use delete_crds: true, or kubectl delete crd ${definitionRef.name}`,
      line: 0,
    };
    const definitionOf = <T extends { kind: string }>(objects: T[]) =>
      objects.find(({ kind }) => kind === definitionRef.kind);

    afterAll(async () => {
      await client.remove(definitionRef);
    });

    test("stays when it is taken out of the YAML, until delete_crds is asked for", async () => {
      await save("POST", "cron", definition, cronTab("own"), settings("cron"));
      await create("two", "cron");
      await untilStored(slipway, "two", "success");
      await client.apply(cronTab("foreign", namespaceOf("three")), { fieldManager: "me" });
      await save("PUT", "cron", settings("cron"));

      const shown = await change<Preview>("PUT", "two", "cron", "&dryRun=true");
      expect(definitionOf(shown.json.objects)).toMatchObject({
        ...{ action: "unchanged", foreign_objects: 1, note: kept.message },
      });
      const taken = await change<{ warnings: object[] }>("PUT", "two", "cron");
      expect(taken.json.warnings).toContainEqual(kept);
      await untilStored(slipway, "two", "success");
      expect(await findObject(client, definitionRef)).toBeDefined();
      expect(
        await findObject(client, { ...cronTab("own"), name: "own", namespace: namespaceOf("two") }),
      ).toBeUndefined();

      const all = await change<Preview>("PUT", "two", "cron", "&dryRun=true", { delete_crds: true });
      expect(definitionOf(all.json.objects)).toMatchObject({ action: "delete", foreign_objects: 1 });
      expect((await change("PUT", "two", "cron", "", { delete_crds: true })).text).toBe('{"message":"success"}');
      await untilGone();
    });

    test("stays when its service goes, and goes with objects of its own alone", async () => {
      await save("PUT", "cron", definition, cronTab("own"), settings("cron"));
      expect((await change("PUT", "two", "cron")).status).toBe(200);
      await untilStored(slipway, "two", "success");
      await client.apply(cronTab("foreign", namespaceOf("three")), { fieldManager: "me" });
      const shown = await leave<Preview>("two", "cron", "&dryRun=true");
      expect(definitionOf(shown.objects)).toMatchObject({ action: "unchanged", foreign_objects: 1 });
      expect(await leave("two", "cron")).toEqual({ message: "success", warnings: [kept] });
      expect(await findObject(client, definitionRef)).toBeDefined();

      expect((await change("POST", "two", "cron")).status).toBe(200);
      await untilStored(slipway, "two", "success");
      await client.remove({ ...cronTab("foreign"), name: "foreign", namespace: namespaceOf("three") });
      expect(await leave("two", "cron")).toEqual({ message: "success" });
      await untilGone();
    });

    test("stays when its environment is deleted, which says so, and goes with delete_crds=true", async () => {
      expect((await change("POST", "two", "cron")).status).toBe(200);
      expect((await change("POST", "three", "cron")).status).toBe(200);
      for (const env of ["two", "three"]) await untilStored(slipway, env, "success");
      await client.apply(cronTab("foreign", namespaceOf("three")), { fieldManager: "me" });
      // The other environment has the definition too.
      expect(await removeEnvironment("two")).toEqual({ message: "success" });
      expect(await findObject(client, definitionRef)).toBeDefined();

      await client.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespaceOf("kept") } });
      await client.apply(cronTab("foreign", namespaceOf("kept")), { fieldManager: "me" });
      await client.remove({ ...cronTab("foreign"), name: "foreign", namespace: namespaceOf("three") });
      const path = `${environments}/three?${project}&isDelete=true&dryRun=true`;
      const shown = await done<Preview>("DELETE", path);
      expect(definitionOf(shown.objects)).toMatchObject({ action: "unchanged", foreign_objects: 1 });
      expect(await removeEnvironment("three")).toEqual({ message: "success", warnings: [kept] });
      expect(await findObject(client, definitionRef)).toBeDefined();

      await create("two", "cron");
      await untilStored(slipway, "two", "success");
      expect(await removeEnvironment("two", "&delete_crds=true")).toEqual({ message: "success" });
      await untilGone();
    });

    const untilGone = () =>
      waitFor("the definition to be gone", async () => (await findObject(client, definitionRef)) === undefined);
  });
}
