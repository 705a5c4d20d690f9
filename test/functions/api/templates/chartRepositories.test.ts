import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { startDoor, startTestRegistry, type TestRegistry } from "../../../harness/testRegistry.ts";
import { type RecordCalls, recordCalls } from "../integrations/recordCalls.ts";

const path = "/api/aslan/system/helm";
const login = { username: "robot", password: "its-secret-word" };
const authorization = `Basic ${Buffer.from("robot:its-secret-word").toString("base64")}`;
const index = "apiVersion: v1\nentries:\n  web:\n    - {name: web, version: 1.0.0, urls: [web-1.0.0.tgz]}\n";

interface Shown {
  id: string;
  url: string;
  [field: string]: unknown;
}

let slipway: Slipway & RecordCalls<Shown>;
let web: TestRegistry;
let elsewhere: TestRegistry;
let open: TestRegistry;
let closed: TestRegistry;
/** Logins of a server's requests: path and header. */
const asked: string[] = [];

beforeAll(async () => {
  const installation = await startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.1/32" } });
  slipway = { ...installation, ...recordCalls<Shown>(installation, path, { type: "http" }) };
  const serve = ({ url, headers }: IncomingMessage, response: ServerResponse) => {
    asked.push(`${url} ${headers.authorization}`);
    response.writeHead(url?.endsWith("/charts/index.yaml") ? 200 : 404).end(index);
  };
  [web, elsewhere, open, closed] = await Promise.all([
    startDoor(serve),
    startDoor(serve),
    startTestRegistry(),
    startTestRegistry({ credentials: login }),
  ]);
});

afterAll(() => Promise.all([slipway, web, elsewhere, open, closed].map((one) => one.close())));

afterEach(() => {
  for (const door of [web, elsewhere, open, closed]) door.trouble = undefined;
  asked.length = 0;
});

let made = 0;

/** What testing a repository of these fields says. */
async function tested(fields: object): Promise<string> {
  const { id } = await slipway.add({ repo_name: `charts-${made++}`, ...fields });
  const { status, text, json } = await slipway.ask("POST", `${path}/${id}/test`);
  expect(text).not.toContain("its-secret-word");
  if (status !== 200) expect([status, json.code]).toEqual([400, 400]);
  return status === 200 ? text : json.description;
}

const passed = '{"message":"success"}';
const folder = () => `http://${web.address}/charts`;

/** Answers every request so. */
function answering(status: number, headers: Record<string, string> = {}, body = "") {
  return (_: IncomingMessage, response: ServerResponse): boolean => {
    response.writeHead(status, headers).end(body);
    return true;
  };
}

describe("testing a chart repository with an index", () => {
  test("passes, with the login and without, and keeps nothing of it", async () => {
    expect(await tested({ url: folder() })).toBe(passed);
    expect(await tested({ url: `${folder()}/`, ...login })).toBe(passed);
    expect(asked).toEqual(["/charts/index.yaml undefined", `/charts/index.yaml ${authorization}`]);
  });

  test("follows where it sends on to, without the login", async () => {
    web.trouble = answering(302, { location: `http://${elsewhere.address}/charts/index.yaml` });
    expect(await tested({ url: folder(), ...login })).toBe(passed);
    expect(asked).toEqual(["/charts/index.yaml undefined"]);
  });

  test.each([
    ["HTML", answering(200, { "content-type": "text/html" }, "<p>"), /there is a web page at .*no file of a chart rep/],
    ["HTML of no type", answering(200, {}, "\n<!DOCTYPE html>"), /there is a web page at .*check the url/],
    ["something else", answering(200, {}, "- 1\n- 2\n"), /has no entries of charts; check the url/],
    ["broken YAML", answering(200, {}, "entries: {a: [\n"), /has no entries of charts/],
    ["401", answering(401), /asks for a login \(401\); give the repository a username and password/],
    ["403", answering(403), /refuses \(403\)/],
    ["404", answering(404), /there is nothing at .*\/charts\/index\.yaml \(404\); check the url/],
    ["500", answering(500), /answers with status 500; try again later/],
    [
      "a redirect inwards",
      answering(302, { location: "http://169.254.169.254/latest" }),
      /sends on to 169\.254\.169\.254: .*is never reached/,
    ],
    [
      "a redirect to a private address",
      answering(307, { location: "https://10.1.2.3/x" }),
      /sends on to 10\.1\.2\.3: .*not allowed/,
    ],
    ["a redirect to itself", answering(301, { location: "/charts/index.yaml" }), /sends on more than 3 times/],
    [
      "a redirect to a file",
      answering(301, { location: "file:///etc/passwd" }),
      /sends on to something that is no address/,
    ],
  ])("that answers %s says so", async (_, trouble, sentence) => {
    web.trouble = trouble;
    const said = await tested({ url: folder() });
    expect(said).toMatch(/^the index of chart repository charts-\d+: /);
    expect(said).toMatch(sentence);
  });

  test("that does not take the login says whose it is", async () => {
    web.trouble = answering(401);
    expect(await tested({ url: folder(), ...login })).toMatch(/does not accept the username and password of the repo/);
  });

  test("whose index is too large ends there, and one of 17 MB is read", async () => {
    const large = (entries: number) =>
      `${index}${`    - {name: web, version: 1.0.0, home: "${"x".repeat(950)}"}\n`.repeat(entries)}`;
    web.trouble = answering(200, {}, large(17_000));
    expect(await tested({ url: folder() })).toBe(passed);
    web.trouble = answering(200, {}, large(22_000));
    expect(await tested({ url: folder() })).toMatch(/sends more than 20971520 bytes, which is too much$/);
  }, 30_000);

  test("that nobody reaches, or that Slipway must not reach, says so", async () => {
    expect(await tested({ url: "http://127.0.0.1:1" })).toMatch(/127\.0\.0\.1:1: cannot be reached/);
    expect(await tested({ url: "https://charts.invalid" })).toMatch(/charts\.invalid: cannot be reached/);
    expect(await tested({ url: "http://10.0.0.9/charts" })).toMatch(/10\.0\.0\.9: .*SLIPWAY_OUTBOUND_ALLOW/);
  });
});

describe("testing a registry of charts", () => {
  test("passes when it takes the login", async () => {
    expect(await tested({ type: "oci", url: `http://${open.address}/charts` })).toBe(passed);
    expect(await tested({ type: "oci", url: `http://${closed.address}/charts`, ...login })).toBe(passed);
    expect(await tested({ type: "oci", url: `http://${closed.address}/charts` })).toMatch(
      /asks for another login \(401\); register it with a username and password that may use it$/,
    );
  });

  test("that is none says so", async () => {
    open.trouble = answering(200, { "content-type": "text/html" }, "<html>");
    const address = `http://${open.address}`;
    expect(await tested({ type: "oci", url: "oci://127.0.0.1:1/charts" })).toMatch(
      /cannot be reached \(ECONNREFUSED\)/,
    );
    open.trouble = answering(404);
    expect(await tested({ type: "oci", url: address })).toMatch(/answers 404; check that it speaks OCI Distribution/);
  });

  test("of ECR gets the login that AWS gives for its keys", async () => {
    const keys: string[] = [];
    const answer = (token: string) => JSON.stringify({ authorizationData: [{ authorizationToken: token }] });
    const aws = await startDoor(({ headers }, response) => {
      keys.push(/Credential=([^/]+)/.exec(headers.authorization ?? "")?.[1] ?? "");
      const isKnown = keys.at(-1) === "AKIAKNOWN";
      const body = isKnown
        ? answer(Buffer.from("robot:its-secret-word").toString("base64"))
        : '{"__type":"AccessDenied"}';
      response.writeHead(isKnown ? 200 : 400, { "content-type": "application/x-amz-json-1.1" }).end(body);
    });
    vi.stubEnv("AWS_ENDPOINT_URL_ECR", `http://${aws.address}`);
    vi.stubEnv("AWS_REGION", "eu-west-1");
    try {
      const ecr = { type: "ecr", url: `http://${closed.address}/charts`, password: "its-secret-word" };
      expect(await tested({ ...ecr, username: "AKIAKNOWN" })).toBe(passed);
      expect(await tested({ ...ecr, username: "AKIAOTHER" })).toMatch(
        /gives no login \(AccessDenied\); check username/,
      );
      expect(keys).toEqual(["AKIAKNOWN", "AKIAOTHER"]);
    } finally {
      vi.unstubAllEnvs();
      await aws.close();
    }
  });
});

test("what the fields demand of each other is told before anything is stored", async () => {
  const of = (fields: object) => slipway.problemsOf({ repo_name: "refused", url: folder(), type: "http", ...fields });
  expect(await of({ url: "oci://registry.example.com/charts" })).toEqual(["url"]);
  expect(await of({ type: "ecr" })).toEqual(["url"]);
  expect(await of({ type: "ecr", url: "oci://123456789012.dkr.ecr.eu-west-1.amazonaws.com.evil.example/x" })).toEqual([
    "url",
  ]);
  expect(await of({ password: "its-secret-word" })).toEqual(["username"]);
  expect(await of({ type: "ecr", url: 7, password: "x" })).toEqual(["url", "username"]);
  await slipway.add({
    repo_name: "own-role",
    type: "ecr",
    url: "oci://123456789012.dkr.ecr.eu-west-1.amazonaws.com/charts",
  });
});

test("one that is not there is 404", async () => {
  expect((await slipway.ask("POST", `${path}/${"f".repeat(24)}/test`)).status).toBe(404);
});

test("the password goes with the username", async () => {
  const { id } = await slipway.add({ repo_name: "let-go", url: folder(), ...login });
  await slipway.ask("PUT", `${path}/${id}`, { repo_name: "let-go", url: folder(), type: "http" });
  await slipway.ask("PUT", `${path}/${id}`, { repo_name: "let-go", url: folder(), type: "http", username: "robot" });
  expect((await slipway.ask("POST", `${path}/${id}/test`)).status).toBe(200);
  expect(asked).toEqual([`/charts/index.yaml Basic ${Buffer.from("robot:").toString("base64")}`]);
});
