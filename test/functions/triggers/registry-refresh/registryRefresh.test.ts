import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { handler } from "../../../../functions/triggers/registry-refresh/handler.ts";
import { seal } from "../../../../shared/clients/secrets/sealedSecret.ts";
import { kubeConfigOwner } from "../../../../shared/clusters/clusterAccess.ts";
import { openCluster } from "../../../../shared/clusters/openCluster.ts";
import { createCluster, localClusterId } from "../../../../shared/store/clusters.ts";
import {
  createEnvironmentWrites,
  type EnvironmentRecord,
  findEnvironment,
  removeEnvironmentParts,
} from "../../../../shared/store/environments.ts";
import { newId } from "../../../../shared/store/ids.ts";
import { keys as storeKeys } from "../../../../shared/store/keys.ts";
import { dueRegistryRefreshes } from "../../../../shared/store/registries.ts";
import { table } from "../../../../shared/store/theTable.ts";
import { remove } from "../../../../shared/store/writes.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { kubeconfig } from "../../api/clusters/clusterFixtures.ts";

const path = "/openapi/system/registry";
const harbor = { address: "https://harbor.example.com", provider: "harbor", namespace: "shop" };
const keys = { access_key: "robot", secret_key: "one" };

let slipway: Slipway;
let registryId: string;

beforeAll(async () => {
  slipway = await startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } });
});

afterAll(() => slipway.close());

beforeEach(async () => {
  registryId = await add({ ...harbor, ...keys });
});

async function add(body: object): Promise<string> {
  const list = async () =>
    (await slipway.call<{ registry_id: string }[]>("GET", path)).json.map((one) => one.registry_id);
  const before = await list();
  await slipway.call("POST", path, { body: { is_default: false, ...body } });
  const added = (await list()).find((id) => !before.includes(id));
  if (added === undefined) throw new Error("the registry is not in the list");
  return added;
}

/** A registered cluster that nothing answers for any more. */
async function unreachableCluster(): Promise<string> {
  const clusterId = newId();
  const text = kubeconfig("https://127.0.0.1:9");
  await createCluster({
    clusterId,
    name: `lost-${clusterId}`,
    clusterType: "kubeconfig",
    kubeConfig: await seal(text, kubeConfigOwner(clusterId)),
    provider: 0,
    production: false,
    description: "",
    createdBy: "test",
    createdTime: 0,
    local: false,
    status: "normal",
    statusMessage: "",
    projectNames: [],
  });
  return clusterId;
}

/** An environment that uses the registry, with its namespace unless told otherwise. */
async function environment(more: Partial<EnvironmentRecord> = {}, hasNamespace = true): Promise<EnvironmentRecord> {
  const id = newId();
  const record: EnvironmentRecord = {
    environmentId: id,
    projectKey: "shop",
    envKey: `env-${id}`,
    alias: "",
    clusterId: localClusterId,
    namespace: `shop-${id}`,
    production: false,
    registryId,
    status: "success",
    error: "",
    changeId: newId(),
    globalVariables: [],
    createdBy: "test",
    createdAt: 0,
    updatedBy: "test",
    updatedAt: 0,
    ...more,
  };
  await table().write(...createEnvironmentWrites(record));
  if (hasNamespace) {
    const { client } = await openCluster(localClusterId);
    await client.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: record.namespace } });
  }
  return record;
}

/** Logins of the pull secret in a namespace by host; undefined without a secret. */
async function pullLogins(
  namespace: string,
): Promise<Record<string, { username: string; password: string }> | undefined> {
  const { client } = await openCluster(localClusterId);
  const secrets = await client.list({ apiVersion: "v1", kind: "Secret" }, { namespace });
  const data = secrets.items.find(({ metadata }) => metadata.name === "default-registry-secret")?.data;
  const text = (data as Record<string, string> | undefined)?.[".dockercfg"];
  return text === undefined ? undefined : JSON.parse(Buffer.from(text, "base64").toString());
}

const update = (id: string, body: object) => slipway.call("PUT", `${path}/${id}`, { body });

describe("a changed registry", () => {
  test("reaches the pull secret of every environment that uses it, and of no other", async () => {
    const users = [await environment(), await environment()];
    const other = await environment({ registryId: await add({ ...harbor, ...keys }) });
    await update(registryId, { ...harbor, address: "https://new.example.com/", secret_key: "two" });
    for (const { namespace } of users) {
      await expect
        .poll(() => pullLogins(namespace))
        .toMatchObject({ "new.example.com": { username: "robot", password: "two" } });
    }
    await expect.poll(dueRegistryRefreshes).toEqual([]);
    expect(await pullLogins(other.namespace)).toBeUndefined();
  });

  test("reaches nobody when neither address nor login changed", async () => {
    const { namespace } = await environment();
    await update(registryId, { ...harbor, namespace: "elsewhere" });
    expect(await dueRegistryRefreshes()).toEqual([]);
    expect(await pullLogins(namespace)).toBeUndefined();
  });

  test("does not stop at a cluster that is gone, and stays due for one that cannot be reached", async () => {
    const unreachable = await environment({ clusterId: await unreachableCluster() }, false);
    const gone = await environment({ clusterId: "0123456789abcdef00000000" }, false);
    const withoutNamespace = await environment({}, false);
    const good = await environment();
    await update(registryId, { ...harbor, secret_key: "three" });
    await expect
      .poll(() => pullLogins(good.namespace), { timeout: 20_000 })
      .toMatchObject({ "harbor.example.com": { password: "three" } });
    expect(await handler({ registryId })).toEqual({ written: 1, failed: 1 });
    expect(await dueRegistryRefreshes()).toEqual([registryId]);
    for (const { projectKey, envKey } of [unreachable, gone, withoutNamespace])
      await forgetEnvironment(projectKey, envKey);
    expect(await handler({ registryId })).toEqual({ written: 1, failed: 0 });
    expect(await dueRegistryRefreshes()).toEqual([]);
    expect(await handler({ registryId })).toEqual({ written: 0, failed: 0 });
  });
});

describe("deleting a registry", () => {
  const remove = (id: string) => slipway.call("DELETE", `/api/aslan/system/registry/namespaces/${id}`);

  test("is refused while an environment uses it by its id", async () => {
    const { projectKey, envKey } = await environment();
    expect((await remove(registryId)).json).toMatchObject({
      code: 400,
      description: expect.stringContaining(`${envKey} of project shop`),
    });
    expect((await slipway.call("GET", `${path}/${registryId}`)).status).toBe(200);
    await forgetEnvironment(projectKey, envKey);
    expect((await remove(registryId)).status).toBe(200);
    expect((await slipway.call("GET", `${path}/${registryId}`)).status).toBe(404);
  });
});

async function forgetEnvironment(projectKey: string, envKey: string): Promise<void> {
  const environment = await findEnvironment(projectKey, envKey);
  if (environment !== undefined) await removeEnvironmentParts(environment);
  await table().write(remove(storeKeys.environment(projectKey, envKey)));
}
