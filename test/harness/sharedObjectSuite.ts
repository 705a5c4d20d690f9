import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient, LiveObject } from "../../shared/clients/kubernetes/ClusterClient.ts";
import { connect } from "../../shared/clients/kubernetes/connect.ts";
import { findObject } from "../../shared/clients/kubernetes/findObject.ts";
import { keys } from "../../shared/store/keys.ts";
import { localClusterId } from "./boutique.ts";
import { type Standing, untilStored } from "./environmentSuite.ts";
import { type RawItems, rawItems } from "./rawItems.ts";
import type { Answer, Slipway } from "./slipway.ts";
import { waitFor } from "./waitFor.ts";

interface Refusal {
  code: number;
  description: string;
}
interface Preview {
  objects: { service_name: string; kind: string; name: string; action: string; diff: string; note?: string }[];
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
    items = rawItems();
    const shop = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
    await done("POST", "/openapi/projects/project", shop);
    await save("POST", "reader", role("get"), settings("reader"));
    await save("POST", "writer", role("update"));
    await save("POST", "plain", settings("plain"));
  });

  afterAll(async () => {
    for (const env of ["one", "two", "three"])
      await client.remove({ apiVersion: "v1", kind: "Namespace", name: namespaceOf(env) });
    await client.remove(roleRef);
    items.close();
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
  const change = (method: "POST" | "PUT", env: string, service_name: string, query = ""): Promise<Answer<Refusal>> =>
    slipway.call(method, `${environments}/service/yaml?${project}${query}`, {
      body: { env_key: env, service_list: [{ service_name }] },
    });
  const leave = <T>(env: string, service: string, query = "") =>
    done<T>("DELETE", `${environments}/service/yaml?${project}${query}`, { env_key: env, service_names: [service] });
  async function removeEnvironment(env: string): Promise<void> {
    await done("DELETE", `${environments}/${env}?${project}&isDelete=true`);
    await waitFor(`${env} to be gone`, async () => {
      return (await slipway.call("GET", `${environments}/${env}?${project}`)).status === 404;
    });
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
      const shown = await change("PUT", first.envKey, "reader", "&dryRun=true");
      const { objects } = shown.json as unknown as Preview;
      expect(objects.find(({ kind }) => kind === "ClusterRole")).toMatchObject({
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
}
