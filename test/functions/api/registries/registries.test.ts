import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { selfSignedCertificate } from "../../../../infra/local/sandbox/http/certificate.ts";
import { table } from "../../../../shared/store/theTable.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

interface Shown {
  registry_id: string;
  address: string;
  provider: string;
  region: string;
  namespace: string;
  is_default: boolean;
}

const path = "/openapi/system/registry";
const localId = "0123456789abcdef12345679";
const harbor = {
  address: "https://harbor.example.com",
  provider: "harbor",
  namespace: "shop",
  is_default: false,
  access_key: "robot$shop",
  secret_key: "the-very-secret-key",
};

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});

afterAll(() => slipway.close());

const list = async (): Promise<Shown[]> => (await slipway.call<Shown[]>("GET", path)).json;

/** Adds a registry under an address of its own and returns it as the list shows it. */
async function add(address: string, more: object = {}): Promise<Shown> {
  const answer = await slipway.call("POST", path, { body: { ...harbor, address, ...more } });
  expect(answer.text).toBe('{"message":"success"}');
  const found = (await list()).find((registry) => registry.address === address);
  if (found === undefined) throw new Error(`${address} is not in the list`);
  return found;
}

async function problemsOf(body: unknown, method = "POST", at = path): Promise<string[]> {
  const { status, json } = await slipway.call<{ code: number; extra: { problems?: { path: string }[] } }>(method, at, {
    body,
  });
  expect([status, json.code]).toEqual([400, 400]);
  return (json.extra.problems ?? []).map((problem) => problem.path);
}

describe("adding a registry", () => {
  test("the registry of the machine is there from the start and is the default", async () => {
    expect((await list())[0]).toEqual({
      registry_id: localId,
      address: slipway.runtime.registryAddress,
      provider: "native",
      region: "",
      namespace: "slipway",
      is_default: true,
    });
  });

  test("every provider is taken, and list and detail show exactly the six keys", async () => {
    for (const provider of ["acr", "tcr", "dockerhub", "harbor", "nexus", "native"]) {
      const added = await add(`https://${provider}.example.com`, { provider, access_key: "", secret_key: "" });
      expect(added).toEqual({
        registry_id: expect.stringMatching(/^[0-9a-f]{24}$/),
        address: `https://${provider}.example.com`,
        provider,
        region: "",
        namespace: "shop",
        is_default: false,
      });
      const detail = await slipway.call("GET", `${path}/${added.registry_id}`);
      expect(detail.json).toEqual(added);
    }
    const ecr = { provider: "ecr", namespace: "", region: "eu-central-1" };
    expect(await add("https://123456789012.dkr.ecr.eu-central-1.amazonaws.com", ecr)).toMatchObject(ecr);
    await add("https://swr.cn-north-4.myhuaweicloud.com", { provider: "swr" });
  });

  test("an open registry over http without keys is taken, its namespace is trimmed, the address is kept as sent", async () => {
    const open = { provider: "native", namespace: " koderover ", access_key: "", secret_key: "" };
    expect(await add("http://10.0.0.5:5000/", open)).toMatchObject({ namespace: "koderover" });
  });

  test("all problems of a registry are told at once, each with its field", async () => {
    expect((await problemsOf({})).sort()).toEqual(["address", "namespace", "provider"]);
    const wrong = {
      address: "ftp://harbor.example.com",
      provider: "quay",
      namespace: "My Shop",
      region: "../x",
      is_default: "yes",
      access_key: 1,
      enable_tls: true,
    };
    expect((await problemsOf(wrong)).sort()).toEqual([
      "access_key",
      "address",
      "is_default",
      "namespace",
      "provider",
      "region",
      "tls_cert",
    ]);
  });

  test.each([
    "",
    "harbor.example.com",
    "https://",
    "https:harbor",
    "/relative",
    "https://user:secret@harbor.example.com",
    "https://harbor.example.com?x=1",
    "https://harbor.example.com/#x",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "https://harbor example.com",
  ])("the address %j is refused", async (address) => {
    expect(await problemsOf({ ...harbor, address })).toEqual(["address"]);
  });

  test("what a provider needs is asked for", async () => {
    const ecr = "https://123456789012.dkr.ecr.eu-central-1.amazonaws.com";
    expect(await problemsOf({ ...harbor, address: ecr, provider: "ecr", namespace: "" })).toEqual(["region"]);
    expect(await problemsOf({ ...harbor, provider: "swr" })).toEqual(["region"]);
    expect(await problemsOf({ ...harbor, namespace: "   " })).toEqual(["namespace"]);
    const ownRole = { provider: "ecr", region: "eu-central-1", access_key: "", secret_key: "" };
    expect(await problemsOf({ ...harbor, ...ownRole })).toEqual(["address"]);
  });

  test("a certificate is asked for with enable_tls and must be one", async () => {
    expect(await problemsOf({ ...harbor, enable_tls: true })).toEqual(["tls_cert"]);
    expect(await problemsOf({ ...harbor, enable_tls: true, tls_cert: "not a certificate" })).toEqual(["tls_cert"]);
    const { certificate } = selfSignedCertificate("registry.example.com");
    await add("https://tls.example.com", { enable_tls: true, tls_cert: certificate });
  });

  test.each([
    ["an empty body", ""],
    ["an array", "[]"],
    ["a number", "7"],
    ["no JSON", "{"],
  ])("%s is refused", async (_, body) => {
    const { status, json } = await slipway.call("POST", path, { body });
    expect(status).toBe(400);
    expect(json).toMatchObject({ type: "error", code: 400, message: "Bad Request" });
  });
});

describe("the default", () => {
  test("a new default takes the place of the old one, and cannot be switched off", async () => {
    const one = await add("https://default-one.example.com", { is_default: true });
    const two = await add("https://default-two.example.com", { is_default: true });
    expect((await list()).filter((registry) => registry.is_default)).toEqual([{ ...two, is_default: true }]);
    const body = { ...two, is_default: false };
    expect((await slipway.call("PUT", `${path}/${two.registry_id}`, { body })).status).toBe(200);
    expect((await slipway.call<Shown>("GET", `${path}/${two.registry_id}`)).json.is_default).toBe(true);
    await slipway.call("PUT", `${path}/${one.registry_id}`, { body: { ...one, is_default: true } });
    expect((await list()).filter(({ is_default }) => is_default).map(({ address }) => address)).toEqual([one.address]);
  });

  test("of 50 parallel creates that all want to be the default, all succeed and exactly one is", async () => {
    const wanted = Array.from({ length: 50 }, (_, at) => `https://race-${at}.example.com`);
    const answers = await Promise.all(
      wanted.map((address) => slipway.call("POST", path, { body: { ...harbor, address, is_default: true } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(wanted.map(() => 200));
    const registries = await list();
    expect(registries.filter(({ address }) => wanted.includes(address))).toHaveLength(50);
    expect(registries.filter(({ is_default }) => is_default)).toHaveLength(1);
  });

  test("of 50 parallel creates without a default exactly one becomes it", async () => {
    const before = await list();
    for (const { registry_id } of before)
      await slipway.call("DELETE", `/api/aslan/system/registry/namespaces/${registry_id}`);
    expect(await list()).toEqual([]);
    const wanted = Array.from({ length: 50 }, (_, at) => `https://first-${at}.example.com`);
    const answers = await Promise.all(
      wanted.map((address) => slipway.call("POST", path, { body: { ...harbor, address } })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await list()).filter(({ is_default }) => is_default)).toHaveLength(1);
  });

  test("when the default is deleted the oldest other one takes its place", async () => {
    const registries = await list();
    const current = registries.find(({ is_default }) => is_default);
    const next = registries.find(({ is_default }) => !is_default);
    await slipway.call("DELETE", `/api/aslan/system/registry/namespaces/${current?.registry_id}`);
    expect((await list()).filter(({ is_default }) => is_default)).toEqual([{ ...next, is_default: true }]);
  });
});

describe("changing a registry", () => {
  test("address, provider, region and namespace are replaced, and the checks are those of adding", async () => {
    const added = await add("https://before.example.com");
    const at = `${path}/${added.registry_id}`;
    const body = { address: "https://after.example.com", provider: "nexus", region: "", namespace: "store" };
    expect((await slipway.call("PUT", at, { body })).json).toEqual({ message: "success" });
    expect((await slipway.call("GET", at)).json).toEqual({ ...added, ...body });
    expect((await problemsOf({ ...body, address: "nothing", namespace: "" }, "PUT", at)).sort()).toEqual([
      "address",
      "namespace",
    ]);
    expect(await problemsOf({ ...body, enable_tls: true }, "PUT", at)).toEqual(["tls_cert"]);
    expect(await problemsOf({ ...body, provider: "swr" }, "PUT", at)).toEqual(["region"]);
    expect((await slipway.call("GET", at)).json).toEqual({ ...added, ...body });
  });

  test("an unknown registry is 404, an id of another form is no path", async () => {
    const unknown = `${path}/0123456789abcdef00000000`;
    expect((await slipway.call("PUT", unknown, { body: harbor })).json).toMatchObject({ code: 404 });
    expect((await slipway.call("GET", unknown)).status).toBe(404);
    expect((await slipway.call("GET", `${path}/nonsense`)).json).toMatchObject({ code: 404, extra: {} });
    expect(
      (await slipway.call("DELETE", "/api/aslan/system/registry/namespaces/0123456789abcdef00000000")).status,
    ).toBe(200);
  });
});

describe("who may", () => {
  test("only system administrators see one, add, change and delete; others see the list once they hold a role", async () => {
    const added = await add("https://guarded.example.com");
    await slipway.call("POST", "/api/v1/users", { body: { name: "Eve", account: "eve", password: "Passw0rd-1" } });
    const login = await slipway.call<{ token: string }>("POST", "/api/v1/login", {
      token: null,
      body: { account: "eve", password: "Passw0rd-1" },
    });
    const { token } = login.json;
    const one = `${path}/${added.registry_id}`;
    const attempts: [string, string][] = [
      ["GET", path],
      ["POST", path],
      ["GET", one],
      ["PUT", one],
      ["DELETE", `/api/aslan/system/registry/namespaces/${added.registry_id}`],
    ];
    for (const [method, at] of attempts) {
      const options = method === "GET" || method === "DELETE" ? {} : { body: harbor };
      expect((await slipway.call(method, at, { ...options, token: null })).status).toBe(401);
      expect((await slipway.call(method, at, { ...options, token })).json).toMatchObject({ code: 403 });
    }
    expect((await slipway.call("GET", one)).json).toEqual(added);
  });
});

describe("what is kept", () => {
  test("mutations stand in the operation log with its words, keys masked", async () => {
    const added = await add("https://logged.example.com");
    await slipway.call("PUT", `${path}/${added.registry_id}`, { body: harbor });
    await slipway.call("DELETE", `/api/aslan/system/registry/namespaces/${added.registry_id}`);
    const logs = await slipway.call<{ operation_logs: Record<string, unknown>[] }>(
      "GET",
      "/openapi/system/operation?searchType=all&perPage=3&page=1",
    );
    const common = { function: "Resource Configuration - Image Repository", project_key: "", status: 200 };
    expect(logs.json.operation_logs).toMatchObject([
      { ...common, method: "Delete", detail: added.registry_id, request_body: "" },
      { ...common, method: "Update", detail: added.registry_id, request_body: "" },
      { ...common, method: "Add", detail: "Provider: harbor, Namespace: shop" },
    ]);
    const [, , creation] = logs.json.operation_logs;
    expect(JSON.parse(String(creation?.request_body))).toEqual({
      ...harbor,
      address: "https://logged.example.com",
      access_key: "********",
      secret_key: "********",
    });
  });

  test("keys and certificate stand in no answer and no item", async () => {
    const { certificate } = selfSignedCertificate("registry.example.com");
    const secrets = { access_key: "ACCESS-4711", secret_key: "SECRET-4711", enable_tls: true, tls_cert: certificate };
    const added = await add("https://sealed.example.com", secrets);
    const partition = await table().query({ pk: `registry#${added.registry_id}` });
    const entries = await table().query({ index: "list", pk: "registries" });
    const logs = await slipway.call("GET", "/openapi/system/operation?searchType=all&perPage=5&page=1");
    const shown = [await list(), (await slipway.call("GET", `${path}/${added.registry_id}`)).json];
    const all = JSON.stringify([partition, entries, logs.json, shown]);
    expect(partition.length).toBeGreaterThan(0);
    for (const secret of ["ACCESS-4711", "SECRET-4711", certificate.split("\n")[1]]) expect(all).not.toContain(secret);
  });
});
