import { dump, load } from "js-yaml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../shared/base/store/ids.ts";
import { writePullSecret } from "../../shared/environments/apply/writePullSecret.ts";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { openCluster } from "../../shared/kube/clusters/openCluster.ts";
import { localClusterId } from "../../shared/kube/clusters/store/clusters.ts";
import { localRegistryId } from "../../shared/packaging/registries/store/registries.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";

let slipway: Slipway;
let text: string;
const namespace = `slipway-test-${newId()}`;

beforeAll(async () => {
  const operator = await readOperatorKubeconfig(process.env);
  if (operator === undefined) throw new Error("KUBECONFIG names no cluster");
  text = operator.text;
  slipway = await startSlipway({ kubeconfig: text, settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8,10.0.0.0/8" } });
  const { client } = await openCluster(localClusterId);
  await client.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
});

afterAll(async () => {
  const { client } = await openCluster(localClusterId);
  await client.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
  await slipway.close();
});

interface Refusal {
  extra: { problems?: { path: string; problem: string }[] };
}

const register = (name: string, kube_config: string) =>
  slipway.call<Refusal & { cluster: { cluster_id: string; status: string } }>("POST", "/openapi/system/cluster", {
    body: { name, type: "kubeconfig", kube_config },
  });

/** The same cluster with other credentials. */
function withUser(user: object): string {
  const config = load(text) as { users: { name: string; user: object }[] };
  return dump({ ...config, users: config.users.map(({ name }) => ({ name, user })) });
}

describe("a real API server", () => {
  test("is registered by its kubeconfig and used", async () => {
    const { status, json, text: body } = await register("real", text);
    expect(status, body).toBe(200);
    expect(json.cluster.status).toBe("normal");
    const istio = await slipway.call("GET", `/openapi/cluster/istio/check/${json.cluster.cluster_id}`);
    expect([istio.status, istio.text]).toEqual([200, "false"]);
  });

  test("that does not know the token is told apart from one that forbids", async () => {
    const unknown = await register("unknown-token", withUser({ token: "nobody" }));
    expect(unknown.json.extra.problems?.[0]).toMatchObject({
      path: "kube_config",
      problem: expect.stringMatching(/the cluster refuses it .*Unauthorized/),
    });
    const { client } = await openCluster(localClusterId);
    await client.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "powerless", namespace } });
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "powerless", namespace, annotations: { "kubernetes.io/service-account.name": "powerless" } },
      type: "kubernetes.io/service-account-token",
    };
    await client.apply(secret);
    const read = async () => (await client.get({ ...secret, name: "powerless", namespace })).data as { token?: string };
    await expect.poll(async () => (await read())?.token, { timeout: 20_000 }).toBeDefined();
    const token = Buffer.from((await read()).token ?? "", "base64").toString();
    const forbidden = await register("forbidden", withUser({ token }));
    expect(forbidden.json.extra.problems?.[0]).toMatchObject({
      path: "kube_config",
      problem: expect.stringContaining(`system:serviceaccount:${namespace}:powerless`),
    });
  });

  test("takes the pull secret of a registry, again and again", async () => {
    const { client } = await openCluster(localClusterId);
    for (const _ of ["first", "again"]) await writePullSecret(client, { namespace, registryId: localRegistryId });
    const ref = { apiVersion: "v1", kind: "Secret", name: "default-registry-secret", namespace };
    expect(await client.get(ref)).toMatchObject({ type: "kubernetes.io/dockercfg" });
  });
});
