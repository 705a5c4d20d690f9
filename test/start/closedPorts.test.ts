import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { basicAuthorization } from "../../infra/local/registry/basicAuth.ts";
import { startRuntime } from "../../infra/local/runtime.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { changeRegistry, findRegistry, localRegistryId } from "../../shared/packaging/registries/store/registries.ts";
import { environmentBody, untilStatus } from "../harness/boutique.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { adminToken, call, type Slipway, startSlipway } from "../harness/slipway.ts";
import { pusherTo } from "../harness/testRegistry.ts";
import { waitFor } from "../harness/waitFor.ts";

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});

afterAll(() => slipway.close());

interface Door {
  address: string;
  /** What answers there to whom it knows. */
  path: string;
  authorization: string;
}

function doors(): Record<string, Door> {
  const { url, registryAddress, registryLogin, sandboxKubeconfigPath = "" } = slipway.runtime;
  const kubeconfig = readFileSync(sandboxKubeconfigPath, "utf8");
  const [, cluster = ""] = /server: (\S+)/.exec(kubeconfig) ?? [];
  const [, token = ""] = /token: "([^"]+)"/.exec(kubeconfig) ?? [];
  return {
    API: { address: url, path: "/openapi/projects/project", authorization: `Bearer ${adminToken}` },
    registry: { address: registryAddress, path: "/v2/", authorization: basicAuthorization(registryLogin) },
    "sandbox cluster": { address: cluster, path: "/api/v1/namespaces", authorization: `Bearer ${token}` },
  };
}

interface Reply {
  status: number;
  headers: Record<string, unknown>;
}

/** As any program, or a page of another origin, asks; the cluster's certificate is its own. */
async function ask({ address, path }: Door, method: string, headers: Record<string, string>): Promise<Reply> {
  if (address.startsWith("http:")) {
    const answer = await fetch(address + path, { method, headers });
    await answer.text();
    return { status: answer.status, headers: Object.fromEntries(answer.headers) };
  }
  return new Promise((resolve, reject) => {
    const sent = request(address + path, { method, headers, rejectUnauthorized: false }, (answer) => {
      answer.resume().once("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers }));
    });
    sent.once("error", reject).end();
  });
}

describe.each(["API", "registry", "sandbox cluster"])("the port of the %s", (name) => {
  const door = () => doors()[name] as Door;

  test("answers who knows its credential, and 401 to everybody else", async () => {
    const { authorization } = door();
    const as = async (headers: Record<string, string>) => (await ask(door(), "GET", headers)).status;
    expect(await as({ authorization })).toBe(200);
    for (const wrong of [authorization.slice(0, -4), "Basic c2xpcHdheTo=", "Bearer "])
      expect(await as({ authorization: wrong }), wrong).toBe(401);
    expect(await as({})).toBe(401);
  });

  test("lets no page of another origin read anything, with a credential or without", async () => {
    const page = { origin: "https://elsewhere.example", "access-control-request-method": "GET" };
    const { authorization } = door();
    for (const method of ["OPTIONS", "GET", "POST"])
      for (const more of [{}, { authorization }]) {
        const { headers } = await ask(door(), method, { ...page, ...more });
        expect(Object.keys(headers).filter((header) => header.startsWith("access-control-"))).toEqual([]);
      }
  });
});

describe("the login of the registry", () => {
  test("stands in the data folder, for the one who runs Slipway alone, and in the record of the registry", async () => {
    const file = join(slipway.dataDir, "registry-password");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toBe(slipway.runtime.registryLogin.password);
    await pusherTo(slipway.runtime).image("slipway/web", "1");
    const images = "/api/aslan/system/registry/images";
    expect((await slipway.call("POST", images, { body: { names: ["web"] } })).json).toMatchObject([{ tag: "1" }]);
  });

  test("comes to a folder that an older version wrote, and to the pull secrets of its environments", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "slipway-older-"));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const options = { dataDir, port: 0, adminToken, podDelayMilliseconds: 0 };
    const older = await startRuntime(options);
    const post = async (path: string, body: object) =>
      expect((await call(older.url, "POST", path, { body })).text).toBe('{"message":"success"}');
    await post("/openapi/projects/project", { project_name: "shop", project_key: "shop", project_type: "yaml" });
    const service = { service_name: "web", yaml: deploymentYaml("web", "web:1") };
    await post("/openapi/service/yaml/raw?projectKey=shop", service);
    const body = { ...environmentBody("dev", "shop-dev"), services: [{ service_name: "web" }] };
    await post("/openapi/environments?projectKey=shop", body);
    await untilStatus({ call: (...asked) => call(older.url, ...asked) }, "shop", "dev", "running");
    const record = await findRegistry(localRegistryId);
    if (record === undefined) throw new Error("there is no registry");
    const { pk, sk, version, credentials, ...open } = record;
    await changeRegistry(record, { ...open, hasKeys: false }, { wantsDefault: false, refresh: false });
    rmSync(join(dataDir, "registry-password"));
    await older.close();

    const newer = await startRuntime(options);
    onTestFinished(() => newer.close());
    const text = readFileSync(newer.sandboxKubeconfigPath ?? "", "utf8");
    const cluster = connect({ kind: "kubeconfig", text, trusted: true });
    onTestFinished(() => cluster.close());
    const secret = { apiVersion: "v1", kind: "Secret", namespace: "shop-dev", name: "default-registry-secret" };
    const { host } = new URL(newer.registryAddress);
    await waitFor("the pull secret to have the login", async () => {
      const { data } = (await cluster.get(secret)) as { data?: Record<string, string> };
      const held = JSON.parse(Buffer.from(data?.[".dockercfg"] ?? "", "base64").toString());
      return held[host]?.password === newer.registryLogin.password;
    });
  });
});
