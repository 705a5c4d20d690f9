import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { selfSignedCertificate } from "../../../../infra/local/cluster/http/certificate.ts";
import { newPerson } from "../../../harness/people.ts";
import { pusher, pusherTo, startTestRegistry, type TestRegistry } from "../../../harness/testRegistry.ts";
import { harbor, path, type RegistryCalls, startForRegistries } from "./registryCalls.ts";

const validate = "/api/aslan/system/registry/validate";
const images = "/api/aslan/system/registry/images";
const credentials = { username: "robot", password: "its-secret-word" };
const login = { authorization: `Basic ${Buffer.from("robot:its-secret-word").toString("base64")}` };
const keys = { access_key: credentials.username, secret_key: credentials.password };

interface Failure {
  code: number;
  description: string;
  extra: { problems?: { path: string }[] };
}

let slipway: RegistryCalls;
let open: TestRegistry;
let closed: TestRegistry;
let trusted: TestRegistry;
let cert: string;

beforeAll(async () => {
  const made = selfSignedCertificate("127.0.0.1");
  cert = made.certificate;
  [slipway, open, closed, trusted] = await Promise.all([
    startForRegistries({ SLIPWAY_OUTBOUND_ALLOW: "127.0.0.1/32" }),
    startTestRegistry(),
    startTestRegistry({ credentials }),
    startTestRegistry({ tls: { key: made.key, cert } }),
  ]);
});

afterAll(() => Promise.all([slipway.close(), open.close(), closed.close(), trusted.close()]));

afterEach(() => {
  for (const registry of [open, closed, trusted]) registry.trouble = undefined;
});

/** A server that answers everything with one status; its address. */
async function answering(status: number, headers: Record<string, string> = {}): Promise<string> {
  const server = createServer((_, response) =>
    response.writeHead(status, headers).end('{"errors":[{"code":"DENIED"}]}'),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function problemOf(fields: object): Promise<string> {
  const body = { ...harbor, access_key: "", secret_key: "", ...fields };
  const { status, json } = await slipway.call<Failure>("POST", validate, { body });
  expect([status, json.code]).toEqual([400, 400]);
  expect(json.description).not.toContain("its-secret-word");
  return json.description;
}

describe("validating a registry", () => {
  test.each([
    ["an open one", () => ({ address: `http://${open.address}` })],
    ["one with a login", () => ({ address: `http://${closed.address}`, ...keys })],
    [
      "one with a certificate of its own",
      () => ({ address: `https://${trusted.address}`, enable_tls: true, tls_cert: cert }),
    ],
  ])("%s passes, and nothing is stored", async (_, fields) => {
    const before = await slipway.list();
    const body = { ...harbor, access_key: "", secret_key: "", ...fields() };
    const answer = await slipway.call("POST", validate, { body });
    expect([answer.status, answer.text]).toEqual([200, '{"message":"success"}']);
    expect(await slipway.list()).toEqual(before);
  });

  test("one that asks for a token gets the login at its token service alone", async () => {
    const asked: string[] = [];
    open.trouble = ({ url = "", headers }, response) => {
      asked.push(`${url} ${headers.authorization}`);
      response.end('{"token":"one-of-theirs"}');
      return true;
    };
    closed.trouble = ({ headers }, response) => {
      const isKnown = headers.authorization === "Bearer one-of-theirs";
      const challenge = { "www-authenticate": `Bearer realm="http://${open.address}/token",service="here"` };
      response.writeHead(isKnown ? 200 : 401, challenge).end("{}");
      return true;
    };
    const body = { ...harbor, ...keys, address: `http://${closed.address}` };
    expect((await slipway.call("POST", validate, { body })).status).toBe(200);
    expect(asked).toEqual([`/token?service=here ${login.authorization}`]);
  });

  test("bad input is told as when it is added", async () => {
    expect(await slipway.problemsOf({ ...harbor, address: "ftp://x", namespace: "" }, "POST", validate)).toEqual([
      "address",
      "namespace",
    ]);
    expect(await slipway.problemsOf({ ...harbor, enable_tls: true }, "POST", validate)).toEqual(["tls_cert"]);
    for (const address of ["http://169.254.169.254", "https://[fe80::1]", "https://0x64.0x64.0x64.0xc8", "http://0/"])
      expect(await slipway.problemsOf({ ...harbor, address }, "POST", validate), address).toEqual(["address"]);
  });

  test("one that nobody reaches, and that has no name", async () => {
    expect(await problemOf({ address: "http://127.0.0.1:1" })).toBe(
      "127.0.0.1:1: the registry cannot be reached (ECONNREFUSED); check its address and whether it runs",
    );
    expect(await problemOf({ address: "https://registry.invalid" })).toMatch(/^registry\.invalid: /);
  });

  test("a certificate that nobody vouches for", async () => {
    expect(await problemOf({ address: `https://${trusted.address}` })).toMatch(
      /the registry's TLS is not trusted \(\w*SELF_SIGNED\w*\); give its authority as tls_cert and set enable_tls/,
    );
    expect(trusted.requests.filter((line) => line.startsWith("POST"))).toEqual([]);
  });

  test("a login that is missing or wrong", async () => {
    const address = `http://${closed.address}`;
    const said = `${closed.address}: the registry asks for another login (401); register it with an access_key and secret_key that may use it`;
    expect(await problemOf({ address })).toBe(said);
    expect(await problemOf({ address, ...keys, secret_key: "no-its-secret-w" })).toBe(said);
  });

  test.each([
    [403, {}, /refuses \(403 DENIED\); give its login the right to use it/],
    [404, {}, /answers 404 DENIED; check that it speaks OCI Distribution/],
    [500, {}, /the registry fails \(500 DENIED\); try again later/],
    [429, { "retry-after": "60" }, /takes no more requests for now \(429 DENIED\); try again later/],
  ])("one that answers %s", async (status, headers, said) => {
    const startedAt = Date.now();
    expect(await problemOf({ address: `http://${await answering(status, headers)}` })).toMatch(said);
    expect(Date.now() - startedAt).toBeLessThan(10_000);
  });

  test("one that sends on to a private address is not followed", async () => {
    const address = await answering(307, { location: "http://10.1.2.3/v2/?X-Signature=its-secret-word" });
    expect(await problemOf({ address: `http://${address}` })).toMatch(/10\.1\.2\.3: a private address is not allowed/);
  });

  test("only system administrators may, and it stands in the operation log without the keys", async () => {
    const member = await newPerson("validator", [{ namespace: "shop", roles: { "read-only": [] } }]);
    const body = { ...harbor, ...keys, address: `http://${closed.address}` };
    expect((await slipway.call("POST", validate, { body, token: null })).status).toBe(401);
    expect((await slipway.call("POST", validate, { body, token: member.token })).status).toBe(403);
    expect((await slipway.call("POST", validate, { body })).status).toBe(200);
    const log = await slipway.call<{ operation_logs: { request_body: string }[] }>(
      "GET",
      "/openapi/system/operation?searchType=all&perPage=1&page=1",
    );
    expect(log.json.operation_logs).toMatchObject([
      {
        method: "Validate",
        function: "Resource Configuration - Image Repository",
        detail: "Provider: harbor, Namespace: shop",
      },
    ]);
    expect(log.text).not.toContain("its-secret-word");
  });
});

describe("listing images", () => {
  const list = (names: unknown, query = "") => slipway.call("POST", `${images}${query}`, { body: { names } });
  const failureOf = async (names: unknown, query: string) => {
    const { status, json, text } = await slipway.call<Failure>("POST", `${images}${query}`, { body: { names } });
    expect(status).toBe(400);
    expect(text).not.toContain("its-secret-word");
    return json;
  };

  test("tells the tags of each, and none of one that is not there", async () => {
    const { registry_id: id } = await slipway.add(`http://${closed.address}`, { ...keys, provider: "native" });
    const push = pusher(closed.address, login);
    for (const tag of ["v1", "v2"]) await push.image("shop/web", tag);
    await push.image("shop/team/api", "v1");
    await push.image("elsewhere", "v9");
    const row = { host: closed.address, owner: "shop", created: "", digest: "" };
    expect((await list(["web", "team/api", "missing"], `?registryId=${id}&projectName=any`)).json).toEqual([
      { ...row, name: "web", tag: "v1" },
      { ...row, name: "web", tag: "v2" },
      { ...row, name: "team/api", tag: "v1" },
    ]);
    expect((await list([], `?registryId=${id}`)).json).toEqual([]);
  });

  test("asks the default registry unless one is named, for whoever holds a role", async () => {
    const local = pusherTo(slipway.runtime);
    await local.image("slipway/listed", "v1");
    const member = await newPerson("lister", [{ namespace: "shop", roles: { "read-only": [] } }]);
    const stranger = await newPerson("stranger");
    const body = { names: ["listed"] };
    const shown = await slipway.call("POST", images, { body, token: member.token });
    expect(shown.json).toMatchObject([{ owner: "slipway", name: "listed", tag: "v1" }]);
    expect((await slipway.call("POST", images, { body, token: stranger.token })).status).toBe(403);
    expect((await slipway.call("POST", images, { body, token: null })).status).toBe(401);
    expect(await failureOf(["listed"], `?registryId=${"f".repeat(24)}`)).toMatchObject({ code: 6281 });
  });

  test("follows the pages of a long list, on the registry's own host alone", async () => {
    const { registry_id: id } = await slipway.add(`http://${open.address}`, { provider: "native" });
    open.trouble = ({ url = "" }, response) => {
      const last = /last=(\w+)/.exec(url)?.[1];
      const link = last === undefined ? { link: '</v2/shop/many/tags/list?n=1000&last=a>; rel="next"' } : {};
      response.writeHead(200, link).end(JSON.stringify({ tags: last === undefined ? ["a"] : ["b"] }));
      return true;
    };
    expect((await list(["many"], `?registryId=${id}`)).json).toMatchObject([{ tag: "a" }, { tag: "b" }]);
    open.trouble = ({ url = "" }, response) => {
      response.writeHead(200, { link: `<${url}>; rel="next"` }).end('{"tags":["a"]}');
      return true;
    };
    expect(await failureOf(["many"], `?registryId=${id}`)).toMatchObject({
      code: 6280,
      description: expect.stringContaining("has more than 100 pages of tags"),
    });
    open.trouble = (_, response) => {
      response.end("<html>");
      return true;
    };
    expect(await failureOf(["many"], `?registryId=${id}`)).toMatchObject({
      description: `${open.address}/shop/many: its list of tags cannot be read; ask the registry's operator`,
    });
  });

  test("names that leave the namespace, or are none, are refused before anybody is asked", async () => {
    open.requests.length = 0;
    const { registry_id: id } = await slipway.add(`http://${open.address}/`, { provider: "native" });
    const names = ["web", "../other", "Web", "a//b", "/etc", "a?x=1"];
    const { code, extra } = await failureOf(names, `?registryId=${id}`);
    expect(code).toBe(400);
    expect(extra.problems?.map((problem) => problem.path)).toEqual([1, 2, 3, 4, 5].map((at) => `names[${at}]`));
    expect(await failureOf(Array(201).fill("web"), `?registryId=${id}`)).toMatchObject({ code: 400 });
    expect(await failureOf([""], `?registryId=${id}`)).toMatchObject({ code: 400 });
    expect(await failureOf(undefined, `?registryId=${id}`)).toMatchObject({ code: 400 });
    expect(open.requests).toEqual([]);
  });

  test("a registry that does not answer well is 6280, with the reason", async () => {
    const id = async (address: string, more: object = {}) =>
      (await slipway.add(address, { provider: "native", access_key: "", secret_key: "", ...more })).registry_id;
    const wrong: [string, RegExp][] = [
      [await id("http://127.0.0.1:1"), /cannot be reached \(ECONNREFUSED\)/],
      [await id(`https://${trusted.address}`), /TLS is not trusted/],
      [
        await id(`http://${await answering(403)}`),
        /\/shop\/web \(its tags\): the registry refuses \(403 DENIED\).*pull from shop\/web/,
      ],
      [
        await id(`http://${await answering(307, { location: "http://10.1.2.3/" })}`),
        /a private address is not allowed/,
      ],
      [await id(`http://${closed.address}/`), /asks for another login \(401\)/],
    ];
    for (const [registryId, said] of wrong) {
      const failure = await failureOf(["web"], `?registryId=${registryId}`);
      expect(failure).toMatchObject({ code: 6280, description: expect.stringMatching(said) });
    }
    expect((await slipway.call("GET", path)).status).toBe(200);
  });
});
