import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as reconcile } from "../../../../functions/triggers/reconciler/handler.ts";
import { handler } from "../../../../functions/triggers/registry-refresh/handler.ts";
import { seal } from "../../../../shared/base/aws/secrets/sealedSecret.ts";
import { config } from "../../../../shared/base/settings/config.ts";
import { newId } from "../../../../shared/base/store/ids.ts";
import { keys as storeKeys } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { remove } from "../../../../shared/base/store/writes.ts";
import {
  createEnvironmentWrites,
  type EnvironmentRecord,
  findEnvironment,
  removeEnvironmentParts,
} from "../../../../shared/environments/store/environments.ts";
import { kubeConfigOwner } from "../../../../shared/kube/clusters/clusterAccess.ts";
import { openCluster } from "../../../../shared/kube/clusters/openCluster.ts";
import { createCluster, localClusterId } from "../../../../shared/kube/clusters/store/clusters.ts";
import { dueRegistryRefreshes } from "../../../../shared/packaging/registries/store/registries.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { waitFor } from "../../../harness/waitFor.ts";
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

describe("the login of ECR, which ends", () => {
  const address = "https://123456789012.dkr.ecr.eu-central-1.amazonaws.com";
  const host = "123456789012.dkr.ecr.eu-central-1.amazonaws.com";
  const hour = 3_600_000;
  const environments = "/openapi/environments";
  let ecr: Server;
  let tokens: number;

  beforeAll(async () => {
    ecr = createServer((_request, response) => {
      tokens += 1;
      const authorizationToken = Buffer.from(`AWS:token-${tokens}`).toString("base64");
      response.writeHead(200, { "content-type": "application/x-amz-json-1.1" });
      response.end(JSON.stringify({ authorizationData: [{ authorizationToken }] }));
    });
    await new Promise<void>((resolve) => void ecr.listen(0, "127.0.0.1", resolve));
    process.env.AWS_ENDPOINT_URL_ECR = `http://127.0.0.1:${(ecr.address() as AddressInfo).port}`;
    const project = { project_name: "hours", project_key: "hours", project_type: "yaml" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body: project })).status).toBe(200);
  });

  afterAll(() => {
    delete process.env.AWS_ENDPOINT_URL_ECR;
    ecr.closeAllConnections();
    ecr.close();
  });

  beforeEach(async () => {
    tokens = 0;
    registryId = await add({ address, provider: "ecr", region: "eu-central-1", namespace: "", ...keys });
  });

  afterEach(() => void vi.useRealTimers());

  const addEnvironment = async (env_key: string) => {
    const body = { env_key, namespace: `hours-${env_key}`, cluster_id: localClusterId, registry_id: registryId };
    const answer = await slipway.call("POST", `${environments}?projectKey=hours`, { body: { ...body, services: [] } });
    expect(answer.status, answer.text).toBe(200);
  };

  /** What looks after things once a minute, or every ten minutes, as much later as told. */
  const passed = async (milliseconds: number) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + milliseconds });
    await reconcile();
  };

  const tokenIn = async (env: string) => (await pullLogins(`hours-${env}`))?.[host]?.password;

  const sweep = async () => {
    await reconcile();
    const { SLIPWAY_SWEEP_SCHEDULE: name } = config();
    return slipway.runtime.aws.schedules.get(name)?.definition.State;
  };

  test("is written again before it does, in every environment, until the last of them is gone", async () => {
    await addEnvironment("one");
    await addEnvironment("two");
    expect([await tokenIn("one"), await tokenIn("two"), tokens]).toEqual(["token-1", "token-1", 1]);
    await waitFor("the sweep to be on", async () => (await sweep()) === "ENABLED");

    await passed(7 * hour);
    expect([await dueRegistryRefreshes(), tokens]).toEqual([[], 1]);
    for (const token of ["token-2", "token-3"]) {
      await passed(8.1 * hour);
      await waitFor("the new token", async () => (await tokenIn("one")) === token && (await tokenIn("two")) === token);
      await waitFor("the end of the refresh", async () => (await dueRegistryRefreshes()).length === 0);
    }

    for (const env of ["one", "two"]) {
      await slipway.call("DELETE", `${environments}/${env}?projectKey=hours&isDelete=true`);
      const gone = async () => (await slipway.call("GET", `${environments}/${env}?projectKey=hours`)).status === 404;
      await waitFor(`environment ${env} to be gone`, gone);
    }
    await passed(8.1 * hour);
    await waitFor("the end of the refresh", async () => (await dueRegistryRefreshes()).length === 0);
    await waitFor("the sweep to be off", async () => (await sweep()) === "DISABLED");
    expect(tokens).toBe(3);
  });

  test("is tried again every ten minutes, and not every minute, while a cluster cannot be reached", async () => {
    const { projectKey, envKey } = await environment({ clusterId: await unreachableCluster() }, false);
    await update(registryId, { address, provider: "ecr", region: "eu-central-1", namespace: "", secret_key: "two" });
    await waitFor("the refresh to be put off", async () => (await dueRegistryRefreshes()).length === 0);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 601_000 });
    expect(await dueRegistryRefreshes()).toEqual([registryId]);
    await forgetEnvironment(projectKey, envKey);
    expect(await handler({ registryId })).toEqual({ written: 0, failed: 0 });
    expect(await dueRegistryRefreshes()).toEqual([]);
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
