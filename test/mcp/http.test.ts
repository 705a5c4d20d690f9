import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newPerson } from "../harness/people.ts";
import { adminToken, type Slipway, startSlipway } from "../harness/slipway.ts";
import { confirmationIn, type Told, told } from "./told.ts";

const program = fileURLToPath(new URL("../../clients/cli/main.ts", import.meta.url));

let slipway: Slipway;
let child: ChildProcess;
let url: string;
let admin: Client;
let developer: Client;

async function host(token: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const headers = { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  // The SDK's own types leave `undefined` out where it may be.
  await client.connect(transport as Transport);
  return client;
}

const ask = async (client: Client, name: string, args: Record<string, unknown> = {}): Promise<Told> =>
  told(await client.callTool({ name, arguments: args }));

beforeAll(async () => {
  slipway = await startSlipway();
  // A token of its own would be used by whoever brings none.
  child = spawn(process.execPath, [program, "mcp", "--http", "--port", "0"], {
    env: { PATH: process.env.PATH, HOME: "/nowhere", SLIPWAY_ADDRESS: slipway.runtime.url, SLIPWAY_TOKEN: adminToken },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [printed] = await once(child.stdout as NodeJS.ReadableStream, "data");
  url = /http:\S+/.exec(String(printed))?.[0] ?? "";
  const person = await newPerson("dev");
  admin = await host(adminToken);
  developer = await host(person.token);
});
afterAll(async () => {
  await admin?.close();
  await developer?.close();
  child?.kill("SIGTERM");
  await slipway.close();
});

const plan = (name: string) => ({
  operation: "createReleasePlan",
  body: { name, manager: "dev", manager_identity_type: "system" },
});

/** One request as a program or a browser sends it, with a Host that is its own choice. */
async function send(
  headers: Record<string, string>,
  { method = "POST", path = "/mcp", body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' } = {},
) {
  const sent = request(new URL(path, url), {
    method,
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
  });
  sent.end(method === "POST" ? body : undefined);
  const [answer] = await once(sent, "response");
  let text = "";
  for await (const piece of answer) text += piece;
  return { status: answer.statusCode as number, headers: answer.headers as Record<string, string>, text };
}

const authorization = `Bearer ${adminToken}`;

describe("each request", () => {
  test("has the rights of the token that it brings, whatever others bring", async () => {
    expect((await admin.listTools()).tools.map(({ name }) => name)).toContain("detailTestEnvironment");
    const list = { operation: "listUsers" };
    const [allowed, refused] = await Promise.all([ask(admin, "read", list), ask(developer, "read", list)]);
    expect(allowed).toMatchObject({ isError: false, text: expect.stringContaining('"dev"') });
    expect(refused).toMatchObject({ isError: true, refusal: { status: 403, code: 403 } });
  });

  test("is refused without a token, though the program that serves it has one", async () => {
    const { status, headers } = await send({});
    expect({ status, told: headers["www-authenticate"] }).toEqual({ status: 401, told: 'Bearer realm="slipway"' });
    const wrong = await host("wrong");
    expect(await ask(wrong, "listProjects")).toMatchObject({ isError: true, refusal: { status: 401 } });
    await wrong.close();
  });

  test("comes from a program of this machine, not from a page under a name that points here", async () => {
    const port = new URL(url).port;
    expect((await send({ authorization, host: `rebound.example:${port}` })).status).toBe(403);
    expect((await send({ authorization, origin: "http://rebound.example" })).status).toBe(403);
    expect((await send({ authorization, origin: "null" })).status).toBe(403);
    expect((await send({ authorization, host: `localhost:${port}` })).status).toBe(200);
  });

  test("is a POST to /mcp of a size that can be meant", async () => {
    expect(await send({ authorization }, { method: "GET" })).toMatchObject({ status: 405, headers: { allow: "POST" } });
    expect((await send({ authorization }, { path: "/" })).status).toBe(404);
    expect((await send({ authorization }, { body: `"${"x".repeat(5_000_000)}"` })).status).toBe(413);
    expect((await send({ authorization }, { body: "no JSON" })).status).toBe(400);
  });
});

describe("a change", () => {
  const plans = async (name: string): Promise<number> => {
    const { json } = await slipway.call<{ list: { name: string }[] }>("GET", "/openapi/release_plan/v1?pageSize=50");
    return json.list.filter((one) => one.name === name).length;
  };

  test("goes through once, however often and at once it is confirmed", async () => {
    const change = plan("Friday");
    const { text } = await ask(admin, "preview_change", change);
    const confirmed = { ...change, confirmation: confirmationIn(text) };
    expect(await plans("Friday"), "after the preview").toBe(0);
    const answers = await Promise.all([1, 2, 3].map(() => ask(admin, "make_change", confirmed)));
    expect(answers.map(({ isError }) => isError)).toContain(false);
    expect(await plans("Friday")).toBe(1);
    expect(await ask(admin, "make_change", confirmed)).toMatchObject({ isError: false });
    expect(await plans("Friday")).toBe(1);
  });

  test("is refused with the confirmation of another caller, and none", async () => {
    const change = plan("Monday");
    const { text } = await ask(admin, "preview_change", change);
    for (const confirmation of [confirmationIn(text), ""])
      expect(await ask(developer, "make_change", { ...change, confirmation })).toMatchObject({
        isError: true,
        refusal: { refused_by: "tool" },
      });
    expect(await plans("Monday")).toBe(0);
  });
});

test("it ends when it is told to", async () => {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});
