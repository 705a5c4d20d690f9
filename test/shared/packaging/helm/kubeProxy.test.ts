import { Readable } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { maxRequestBytes, type ProxiedCluster, startKubeProxy } from "../../../../shared/packaging/helm/kubeProxy.ts";

/** What came through, and a door to it for the environment `dev`. */
async function opened(readOnly = false) {
  const through: string[] = [];
  const client = {
    forward: async ({ method, path }: { method: string; path: string }) => {
      through.push(`${method} ${path}`);
      return { status: 200, contentType: "application/json", retryAfter: undefined, body: Readable.from(["{}"]) };
    },
  } as unknown as ProxiedCluster["client"];
  const clusterKinds = ["ClusterRole", "StorageClass"];
  const door = await startKubeProxy({
    client,
    namespace: "dev",
    clusterKinds,
    secretProblem: async () => undefined,
    readOnly,
  });
  close = door.close;
  const ask = async (method: string, path: string, body?: Buffer) => {
    const answer = await fetch(door.address + path, {
      method,
      ...(body !== undefined && { body: new Uint8Array(body) }),
    });
    const { message = "" } = (await answer.json()) as { message?: string };
    return { status: answer.status, message };
  };
  return { ...door, through, ask };
}

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

const rbac = "/apis/rbac.authorization.k8s.io/v1";

describe("Helm reaches through its door", () => {
  test.each([
    ["GET", "/version"],
    ["GET", "/apis/apps/v1"],
    ["GET", "/openapi/v3/apis/apps/v1?hash=1"],
    ["GET", "/api/v1/namespaces/dev"],
    ["GET", "/api/v1/namespaces/dev/secrets?labelSelector=owner%3Dhelm"],
    ["POST", "/api/v1/namespaces/dev/secrets"],
    ["PATCH", "/apis/apps/v1/namespaces/dev/deployments/web?force=true"],
    ["PATCH", `${rbac}/clusterroles/reader`],
    ["DELETE", "/apis/storage.k8s.io/v1/storageclasses/fast"],
  ])("%s %s", async (method, path) => {
    const { ask, through } = await opened();
    expect(await ask(method, path)).toEqual({ status: 200, message: "" });
    expect(through).toEqual([`${method} ${path}`]);
  });
});

describe("nothing else comes through, and the answer says why", () => {
  test.each([
    ["GET", "/api/v1/namespaces", "namespaces cannot be listed by charts"],
    ["GET", "/api/v1/namespaces/other/secrets/token", "secrets token lies in namespace other; a chart may use dev"],
    ["POST", "/api/v1/namespaces/kube-system/pods", "the list of pods lies in namespace kube-system"],
    ["DELETE", "/api/v1/namespaces/dev", "Namespace dev is the environment's own"],
    ["PATCH", "/api/v1/namespaces/dev", "Namespace dev is the environment's own"],
    ["POST", `${rbac}/clusterrolebindings`, "the list of clusterrolebindings belongs to the whole cluster"],
    ["GET", "/api/v1/secrets", "the list of secrets belongs to the whole cluster"],
    ["GET", "/api/v1/nodes/one/proxy/logs", "nodes one belongs to the whole cluster"],
    ["GET", "/metrics", "GET /metrics is not allowed to charts"],
    ["POST", "/version", "POST /version is not allowed to charts"],
    ["GET", "/api/v1/namespaces/dev%2F..%2Fother/secrets", "is not allowed"],
    ["GET", "/api/v1//namespaces/dev", "is not allowed"],
  ])("%s %s", async (method, path, why) => {
    const { ask, through } = await opened();
    expect(await ask(method, path)).toEqual({ status: 403, message: expect.stringContaining(why) });
    expect(through).toEqual([]);
  });

  test("of a preview, but what the cluster is only to try", async () => {
    const { ask, through } = await opened(true);
    const path = "/apis/apps/v1/namespaces/dev/deployments/web";
    for (const query of ["", "?dryRun=None", "?dryRun=", "?dryrun=All"])
      expect(await ask("PATCH", path + query)).toEqual({ status: 403, message: "nothing is written by a preview" });
    expect((await ask("PATCH", `${path}?dryRun=All`)).status).toBe(200);
    expect((await ask("GET", path)).status).toBe(200);
    expect(through).toEqual([`PATCH ${path}?dryRun=All`, `GET ${path}`]);
  });

  test("by another's address, and after the run", async () => {
    const { address, close: end, through } = await opened();
    const { origin, pathname } = new URL(address);
    for (const path of ["/version", `/${"A".repeat(32)}/version`, `${pathname.slice(0, -1)}/version`])
      expect((await fetch(origin + path)).status).toBe(404);
    await end();
    close = undefined;
    await expect(fetch(`${address}/version`)).rejects.toThrow();
    expect(through).toEqual([]);
  });

  test("of an object that is too large", async () => {
    const { ask, through } = await opened();
    const { status, message } = await ask("POST", "/api/v1/namespaces/dev/secrets", Buffer.alloc(maxRequestBytes + 1));
    expect([status, message]).toEqual([413, `an object has more than ${maxRequestBytes} bytes`]);
    expect(through).toEqual([]);
  });
});
