import { request } from "node:http";
import { expect, test } from "vitest";
import { codesOf, pushImage, registryForTest } from "./registryHarness.ts";

/** Sends the path exactly as written, which fetch would tidy up first. */
function rawStatus(address: string, method: string, path: string): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(pieces).toString() }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

const credentials = { username: "ci", password: "pä:ss word" };

test("with credentials set every path asks for them, and only the right pair opens", async () => {
  const { at } = await registryForTest(credentials);
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` });
  for (const path of ["/v2/", "/v2/_catalog", "/v2/app/manifests/latest", "/other"]) {
    const refused = await at("GET", path);
    expect([refused.status, await codesOf(refused)]).toEqual([401, ["UNAUTHORIZED"]]);
    expect(refused.headers.get("www-authenticate")).toMatch(/^Basic realm="/);
    expect(refused.headers.get("docker-distribution-api-version")).toBe("registry/2.0");
  }
  for (const wrong of ["ci:", "ci:pä", "CI:pä:ss word", ":pä:ss word", "ci:pä:ss word "]) {
    expect((await at("GET", "/v2/", { headers: basic(wrong) })).status).toBe(401);
  }
  expect((await at("GET", "/v2/", { headers: { authorization: "Bearer abc" } })).status).toBe(401);
  expect((await at("GET", "/v2/", { headers: basic("ci:pä:ss word") })).status).toBe(200);
});

test("a refused push of many bytes is answered, not cut off", async () => {
  const { at } = await registryForTest(credentials);
  const response = await at("POST", "/v2/app/blobs/uploads/", { body: new Uint8Array(5_000_000) });
  expect([response.status, await codesOf(response)]).toEqual([401, ["UNAUTHORIZED"]]);
});

test("a page in a browser cannot reach the registry", async () => {
  const { at } = await registryForTest();
  const response = await at("POST", "/v2/app/blobs/uploads/", { headers: { origin: "http://example.com" } });
  expect([response.status, await codesOf(response)]).toEqual([403, ["DENIED"]]);
});

test.each([
  "../x",
  "a/../../b",
  "a//b",
  "/a",
  "A",
  "_tags",
  "a/_manifests",
  "a..b",
  "a-",
  "%2e%2e",
  "a%2fb",
  "%C3%A4",
  "a".repeat(256),
])("%s is no repository name", async (name) => {
  const { address } = await registryForTest();
  const requests = { "tags/list": "GET", "manifests/latest": "GET", "blobs/uploads/": "POST" };
  for (const [rest, method] of Object.entries(requests)) {
    const { status, body } = await rawStatus(address, method, `/v2/${name}/${rest}`);
    expect([status, JSON.parse(body).errors[0].code]).toEqual([400, "NAME_INVALID"]);
  }
});

test.each(["a", "a/b/c", "a__b", "a---b", "a.b_c-d/0", "a".repeat(255)])("%s is a repository name", async (name) => {
  const { at } = await registryForTest();
  const digest = await pushImage(at, name, "latest");
  expect((await at("HEAD", `/v2/${name}/manifests/latest`)).headers.get("docker-content-digest")).toBe(digest);
});

test("what is no path of the API is 404 and what is no method of a path 405, both with a body", async () => {
  const { at, address } = await registryForTest();
  for (const path of ["/", "/v1/", "/v2/app", "/v2/tags/list", "/v2/app/blobs/x/y"]) {
    const response = await at("GET", path);
    expect([path, response.status, await codesOf(response)]).toEqual([path, 404, ["UNSUPPORTED"]]);
  }
  const wrong = await at("POST", "/v2/app/tags/list");
  expect([wrong.status, wrong.headers.get("allow"), await codesOf(wrong)]).toEqual([405, "GET, HEAD", ["UNSUPPORTED"]]);
  expect((await rawStatus(address, "GET", "/v2/app/manifests/%zz")).status).toBe(404);
});
