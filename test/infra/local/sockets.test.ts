import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { createFunctionRunner } from "../../../infra/local/aws/functions/functionRunner.ts";
import { createSocketServer, type SocketServer } from "../../../infra/local/aws/sockets/socketServer.ts";
import { type Gateway, startGateway } from "../../../infra/local/gateway.ts";
import { waitFor } from "../../harness/waitFor.ts";

interface SocketEvent {
  requestContext: { routeKey: string; connectionId: string };
  body?: string;
}

let sockets: SocketServer;
let gateway: Gateway;
const events: SocketEvent[] = [];

beforeAll(async () => {
  const answer = async (given: unknown) => {
    const event = given as SocketEvent;
    events.push(event);
    if (event.body === "fail") throw new Error("the function fails");
    return { statusCode: 200, ...(event.body !== undefined && { body: `heard ${event.body.length}` }) };
  };
  const runner = createFunctionRunner({ echo: answer });
  const limits = { maxMessageBytes: 128 * 1024, idleSeconds: 1, longestSeconds: 4 };
  sockets = createSocketServer(runner, "echo", undefined, limits);
  gateway = await startGateway({ port: 0, groups: [], sockets: { path: "/socket", ...sockets }, drainSeconds: 1 });
});

afterAll(() => gateway.close());

async function opened() {
  const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/socket`);
  const messages: string[] = [];
  let code: number | undefined;
  socket.on("message", (data) => messages.push(String(data)));
  socket.once("close", (given) => {
    code = given;
  });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  return { socket, messages, closed: () => waitFor("the end", async () => code, 10) };
}

test("calls the function for each connection, message and end, and sends what it answers", async () => {
  const { socket, messages } = await opened();
  socket.send("hello");
  await waitFor("the answer", async () => messages.length === 1);
  expect(messages).toEqual(["heard 5"]);
  socket.send("fail");
  await waitFor("an error", async () => messages.length === 2);
  expect(messages[1]).toContain('"message":"Internal server error"');
  socket.close();
  await waitFor("its end", async () => events.some(({ requestContext }) => requestContext.routeKey === "$disconnect"));
  const [first] = events;
  const own = events.filter(({ requestContext }) => requestContext.connectionId === first?.requestContext.connectionId);
  expect(own.map(({ requestContext }) => requestContext.routeKey)).toEqual([
    ...["$connect", "$default", "$default", "$disconnect"],
  ]);
});

test.each([
  ["bytes", (socket: WebSocket) => socket.send(randomBytes(4)), 1003],
  ["a message of more than 128 KB", (socket: WebSocket) => socket.send("x".repeat(128 * 1024 + 1)), 1009],
  ["nothing for as long as a connection may be idle", () => undefined, 1001],
])("closes a connection that sends %s", async (_, send, code) => {
  const { socket, closed } = await opened();
  send(socket);
  expect(await closed()).toBe(code);
});

test("takes a message of 128 KB, and closes a busy connection when its time is over", async () => {
  const { socket, messages, closed } = await opened();
  socket.send("x".repeat(128 * 1024));
  await waitFor("the answer", async () => messages.length === 1);
  const busy = setInterval(() => socket.send("still here"), 300);
  expect(await closed()).toBe(1001);
  clearInterval(busy);
  expect(messages.length).toBeGreaterThan(5);
});

test("refuses a WebSocket elsewhere", async () => {
  const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/elsewhere`);
  const status = await new Promise((resolve) => {
    socket.once("error", () => undefined);
    socket.once("unexpected-response", (_, { statusCode }) => resolve(statusCode));
  });
  expect(status).toBe(404);
});

test("sends nothing to who is gone, and closes all when the gateway closes", async () => {
  expect(await sockets.adapter.post("nobody", "text")).toBe(false);
  const { closed } = await opened();
  const begun = performance.now();
  await gateway.close();
  expect(await closed()).toBe(1001);
  expect(performance.now() - begun).toBeLessThan(3000);
});
