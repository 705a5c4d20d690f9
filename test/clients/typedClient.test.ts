import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { changes, connect, everyPage, lines, SlipwayError, taken } from "@slipway/client";
import { expect, onTestFinished, test } from "vitest";

interface Seen {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
}

/** A server that answers each request by the next of its answers; the last one stays. */
async function server(...answers: ((answer: ServerResponse) => void)[]): Promise<{ address: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const listening = createServer((request, answer) => {
    seen.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers });
    (answers[seen.length - 1] ?? answers.at(-1))?.(answer);
  });
  await new Promise<void>((done) => listening.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    listening.closeAllConnections();
    listening.close();
  });
  const place = listening.address();
  return { address: `http://127.0.0.1:${typeof place === "object" ? place?.port : ""}`, seen };
}

const json =
  (status: number, body: object, headers: Record<string, string> = {}) =>
  (answer: ServerResponse) => {
    answer.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };
const cut = (answer: ServerResponse) => answer.destroy();
const stream = (text: string) => (answer: ServerResponse) => {
  answer.writeHead(200, { "content-type": "text/event-stream" }).end(text);
};

test("a change whose answer is lost is sent again under the same idempotency key", async () => {
  const { address, seen } = await server(cut, json(503, {}), json(200, { message: "success" }));
  const body = { project_key: "demo", project_name: "Demo", is_public: false, project_type: "yaml" as const };
  await connect({ address, token: "t" }).POST("/openapi/projects/project", { body });
  const keys = seen.map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
});

test("patience that is asked for is had, and a refusal is not asked about again", async () => {
  const refused = { type: "error", code: 400, message: "Bad Request", description: "", extra: { problems: [] } };
  const { address, seen } = await server(json(429, {}, { "retry-after": "1" }), json(400, refused));
  const started = performance.now();
  await expect(connect({ address }).GET("/openapi/system/cluster")).rejects.toMatchObject({ status: 400, code: 400 });
  expect(seen).toHaveLength(2);
  // A timer may be a millisecond early.
  expect(performance.now() - started).toBeGreaterThan(990);
});

test("an error has the code, the problems and the id of the request", async () => {
  const problems = [{ in: "query", path: "projectKey", problem: "is required" }];
  const told = { type: "error", code: 400, message: "Bad Request", description: "d", extra: { problems } };
  const { address } = await server(json(400, told, { "x-request-id": "r-1" }));
  const error = await connect({ address })
    .GET("/openapi/system/cluster")
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SlipwayError);
  expect(error).toMatchObject({ status: 400, message: "Bad Request", description: "d", problems, requestId: "r-1" });
});

test("an answer that is not Slipway's own is an error that shows it", async () => {
  const { address } = await server((answer) => answer.writeHead(404, { "content-type": "text/html" }).end("<p>gone"));
  const call = connect({ address }).GET("/openapi/system/cluster");
  await expect(call).rejects.toMatchObject({ status: 404, code: 404, message: "Not Found", description: "<p>gone" });
});

test("nobody there is an error with status 0, after as many tries as were asked for", async () => {
  const { address, seen } = await server(cut);
  const call = connect({ address, tries: 2 }).GET("/openapi/system/cluster");
  await expect(call).rejects.toMatchObject({ status: 0, message: `nothing answers at ${address}` });
  expect(seen).toHaveLength(2);
});

test("a stream is gone on with after the last line, until it ends without an invitation", async () => {
  const first = "id:1.0\nevent:message\ndata:one\n\nid:2.0\nevent:message\ndata:two\n\nretry:5\n\n";
  const { address, seen } = await server(stream(first), stream("id:3.0\nevent:message\ndata:three\n\n"));
  const found: string[] = [];
  for await (const { text } of lines({ address, token: "t" }, "/openapi/logs?x=1")) found.push(text);
  expect(found).toEqual(["one", "two", "three"]);
  expect(seen.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "2.0"]);
});

test("a stream whose source fails is an error", async () => {
  const { address } = await server(stream("event:error\ndata:the pod is gone\n\n"));
  const reading = lines({ address }, "/openapi/logs").next();
  await expect(reading).rejects.toMatchObject({ description: "the pod is gone" });
});

test("pages are read one after the other until one is not full", async () => {
  const { address, seen } = await server(
    json(200, { projects: Array.from({ length: 100 }, (_, at) => ({ project_key: `p${at}` })), total: 101 }),
    json(200, { projects: [{ project_key: "last" }], total: 101 }),
  );
  const slipway = connect({ address });
  const keys: string[] = [];
  for await (const { project_key } of everyPage(
    async (query) => (await taken(slipway.GET("/openapi/projects/project", { params: { query } }))).projects,
  ))
    keys.push(project_key);
  expect(keys).toHaveLength(101);
  expect(seen.map(({ path }) => path)).toEqual([
    "/openapi/projects/project?pageNum=1&pageSize=100",
    "/openapi/projects/project?pageNum=2&pageSize=100",
  ]);
});

test("changes go on behind the last one when their stream ends or breaks, until it is refused", async () => {
  const event = (id: string, more = "") =>
    `id:${id}\nevent:message\ndata:${JSON.stringify({ id, type: "task", key: "ship", task_id: 1, state: "running" })}\n\n${more}`;
  const broken = (answer: ServerResponse) => {
    answer.writeHead(200, { "content-type": "text/event-stream" });
    answer.write(event("2.b"), () => setTimeout(() => answer.destroy(), 50));
  };
  const refused = { type: "error", code: 401, message: "Unauthorized", description: "token mismatch", extra: {} };
  const { address, seen } = await server(stream(event("1.a", "retry:1\n\n")), broken, json(401, refused));
  const states: string[] = [];
  const followed = async () => {
    for await (const change of changes({ address, token: "t" }, { after: "0.f", project: "a b" }))
      states.push(`${change.id} ${change.type === "task" ? change.state : ""}`);
  };
  await expect(followed()).rejects.toMatchObject({ status: 401 });
  expect(states).toEqual(["1.a running", "2.b running"]);
  expect(seen.map(({ path }) => path)).toEqual(Array(3).fill("/openapi/events/stream?projectKey=a+b"));
  expect(seen.map(({ headers }) => headers["last-event-id"])).toEqual(["0.f", "1.a", "2.b"]);
});
