import { once } from "node:events";
import { connect } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { type Gateway, type GatewayGroup, type GatewayOptions, startGateway } from "../../infra/local/gateway.ts";
import type { ApiResponse } from "../../shared/http/exchange.ts";
import { maxAnswerBytes } from "../../shared/http/stream/answerSize.ts";

let gateway: Gateway;

afterEach(() => gateway.close());

async function start(
  handle: GatewayGroup["handle"],
  options: Partial<GatewayOptions> & { streams?: boolean } = {},
): Promise<void> {
  const { streams = false, ...rest } = options;
  gateway = await startGateway({ port: 0, drainSeconds: 0.2, groups: [{ prefixes: ["/"], handle, streams }], ...rest });
}

const answering = (body: string) => async (): Promise<ApiResponse> => ({ statusCode: 200, headers: {}, body });

interface Failure {
  code: number;
  description: string;
}

async function failure(answered: Promise<Response>): Promise<[number, Failure]> {
  const answer = await answered;
  const body = (await answer.json()) as Failure;
  expect(Object.keys(body)).toEqual(["type", "code", "message", "description", "extra"]);
  return [answer.status, body];
}

describe("the gateway of one machine", () => {
  test("lets through an answer that Lambda takes, to the byte, and none that is larger", async () => {
    const around = JSON.stringify({ statusCode: 200, headers: {}, body: "" }).length;
    const most = maxAnswerBytes - around;
    await start(answering("x".repeat(most)));
    expect(await (await fetch(gateway.url)).text()).toHaveLength(most);
    await gateway.close();
    await start(answering("x".repeat(most + 1)));
    expect(await failure(fetch(gateway.url))).toMatchObject([500, { code: 500 }]);
    await gateway.close();
    // In the JSON around it every quotation mark takes two bytes.
    await start(answering('"'.repeat(most / 2 + 1)));
    expect(await failure(fetch(gateway.url))).toMatchObject([500, { code: 500 }]);
  });

  test("lets streams be as large as they like, and as long", async () => {
    const chunk = Buffer.alloc(1024 * 1024, "x");
    const stream = () => Readable.from(Array.from({ length: 8 }, () => chunk));
    await start(async () => ({ statusCode: 200, headers: {}, body: "", stream: stream() }), {
      streams: true,
      requestSeconds: 0,
    });
    expect(await (await fetch(gateway.url)).text()).toHaveLength(8 * chunk.length);
  });

  test("answers itself when the work takes longer than API Gateway waits", async () => {
    await start(() => new Promise<never>(() => {}), { requestSeconds: 0.1 });
    const [status, { description }] = await failure(fetch(gateway.url));
    expect([status, description]).toEqual([
      500,
      expect.stringContaining("the work took longer than the gateway waits"),
    ]);
  });

  test("takes 10 MiB in and refuses more, on a connection that goes on", async () => {
    const lengths: number[] = [];
    await start(async ({ body }) => {
      lengths.push(Buffer.from(body ?? "", "base64").length);
      return { statusCode: 200, headers: {}, body: "" };
    });
    const most = 10 * 1024 * 1024;
    const send = (bytes: number) => fetch(gateway.url, { method: "POST", body: Buffer.alloc(bytes, "x") });
    expect((await send(most)).status).toBe(200);
    expect(await failure(send(most + 1))).toMatchObject([413, { code: 413 }]);
    expect((await send(1)).status).toBe(200);
    expect(lengths).toEqual([most, 1]);
  });

  test("ends a stream whose client leaves before the answer in front of it on the same connection is out", async () => {
    const stream = new PassThrough();
    const entered = Promise.withResolvers<void>();
    await start(
      async ({ path }, { signal }) => {
        if (path === "/slow") await once(signal as AbortSignal, "abort");
        entered.resolve();
        return { statusCode: 200, headers: {}, body: "", ...(path === "/stream" && { stream }) };
      },
      { streams: true },
    );
    const client = connect(gateway.port, "127.0.0.1");
    client.write(["/slow", "/stream"].map((path) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`).join(""));
    await entered.promise;
    client.destroy();
    await once(stream, "close");
  });

  test("ends the stream of an answer for which it comes too late", async () => {
    const stream = new PassThrough();
    const client = Promise.withResolvers<() => void>();
    await start(
      async (_, { signal }) => {
        (await client.promise)();
        await once(signal as AbortSignal, "abort");
        return { statusCode: 200, headers: {}, body: "", stream };
      },
      { streams: true },
    );
    const socket = connect(gateway.port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    client.resolve(() => socket.destroy());
    await once(stream, "close");
  });

  test("answers 500 when its own work fails, with headers that cannot be sent for example", async () => {
    process.env.SLIPWAY_LOG_FILE = "/dev/null";
    await start(async () => ({ statusCode: 200, headers: { "x-name": "a\nb" }, body: "" }));
    expect(await failure(fetch(gateway.url))).toMatchObject([500, { code: 500 }]);
  });

  test("keeps an idle connection for longer than clients do", async () => {
    await start(answering("x"));
    const { headers } = await fetch(gateway.url);
    const [, seconds] = /^timeout=(\d+)$/.exec(headers.get("keep-alive") ?? "") ?? [];
    expect(Number(seconds)).toBeGreaterThan(65);
  });
});
