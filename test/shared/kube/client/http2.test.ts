import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import { createServer, type Server } from "node:https";
import { type AddressInfo, createServer as createRelay, connect as dial, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ClusterClient } from "../../../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../../../shared/kube/client/connect.ts";
import { openWire, type Wire, type WireAnswer } from "../../../../shared/kube/client/wire/wire.ts";
import { configMap } from "./apiServer.ts";
import { testCertificate } from "./testCertificate.ts";

let server: Http2SecureServer | Server;
let client: ClusterClient;
let sessions: ServerHttp2Session[];

afterEach(() => {
  client.close();
  for (const session of sessions) session.destroy();
  server.close();
});

type Respond = (response: Http2ServerResponse, answer: string) => void;

async function start(
  protocol: "h2" | "http/1.1",
  respond: Respond = (response, answer) => response.end(answer),
): Promise<{
  versions: string[];
  sockets: Set<unknown>;
  ended(): Promise<void>;
}> {
  const versions: string[] = [];
  const sockets = new Set<unknown>();
  sessions = [];
  const { promise: firstEnded, resolve: end } = Promise.withResolvers<void>();
  const answer = JSON.stringify(configMap("a"));
  if (protocol === "h2") {
    const secure = createSecureServer(testCertificate, (request, response) => {
      versions.push(request.httpVersion);
      sockets.add(request.stream.session);
      request.resume();
      response.on("close", end);
      request.on("end", () => respond(response, answer));
    });
    server = secure.on("session", (session) => sessions.push(session));
  } else {
    server = createServer(testCertificate, (request, response) => {
      versions.push(request.httpVersion);
      sockets.add(request.socket);
      response.end(answer);
    });
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const kubeconfig = kubeconfigFor((server.address() as AddressInfo).port);
  client = connect({ kind: "kubeconfig", text: kubeconfig, trusted: true });
  return { versions, sockets, ended: () => firstEnded };
}

function kubeconfigFor(port: number): string {
  return JSON.stringify({
    "current-context": "test",
    clusters: [
      {
        name: "test",
        cluster: {
          server: `https://127.0.0.1:${port}`,
          "certificate-authority-data": Buffer.from(testCertificate.cert).toString("base64"),
        },
      },
    ],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    users: [{ name: "test", user: { token: "t" } }],
  });
}

/** The wire below the client, to the server that was started. */
function open(): Promise<Wire> {
  const { port } = server.address() as AddressInfo;
  const endpoint = {
    server: new URL(`https://127.0.0.1:${port}`),
    tls: { ca: testCertificate.cert },
    rule: "unchecked",
    authorize: async () => ({}),
  } as const;
  return openWire(endpoint, AbortSignal.timeout(5_000));
}

function get(wire: Wire): Promise<WireAnswer> {
  return wire.send({ method: "GET", path: "/", headers: {}, body: undefined, signal: AbortSignal.timeout(5_000) });
}

const ref = { apiVersion: "v1", kind: "ConfigMap", name: "a", namespace: "shop" };

describe("connections over TLS", () => {
  it("are one for all requests where the server speaks HTTP/2", async () => {
    const { versions, sockets } = await start("h2");
    await Promise.all(Array.from({ length: 40 }, () => client.apply(configMap("a"))));
    expect([versions.length, new Set(versions), sockets.size]).toEqual([40, new Set(["2.0"]), 1]);
  });

  it("fall back to HTTP/1.1, kept alive", async () => {
    const { versions, sockets } = await start("http/1.1");
    for (let count = 0; count < 5; count += 1) await client.get(ref);
    expect([new Set(versions), sockets.size]).toEqual([new Set(["1.1"]), 1]);
  });

  it("lose nothing of an answer that ended before it was read", async () => {
    const { ended } = await start("h2");
    const wire = await open();
    try {
      const { body } = await get(wire);
      await ended();
      // By the next answer everything of the first has arrived.
      await text((await get(wire)).body);
      expect(JSON.parse(await text(body))).toEqual(configMap("a"));
    } finally {
      wire.close();
    }
  });

  it("take no half answer for a whole one", async () => {
    let asked = 0;
    await start("h2", (response, answer) => {
      asked += 1;
      if (asked > 1) return void response.end(answer);
      response.write(answer.slice(0, 10), () => response.stream.close(constants.NGHTTP2_INTERNAL_ERROR));
    });
    expect(await client.get(ref)).toMatchObject({ metadata: { name: "a" } });
    expect(asked).toBe(2);
  });

  it("tell the server when nobody reads on", async () => {
    const closed = Promise.withResolvers<number | undefined>();
    await start("h2", (response) => {
      response.stream.on("close", () => closed.resolve(response.stream.rstCode));
      response.write("the first of many lines\n");
    });
    const wire = await open();
    try {
      const { body } = await get(wire);
      body.destroy();
      expect(await closed.promise).toBe(constants.NGHTTP2_CANCEL);
    } finally {
      wire.close();
    }
  });

  it("that died without a word cost no call: a new one takes its place", async () => {
    const { sockets } = await start("h2");
    const { port } = server.address() as AddressInfo;
    const relayed: Socket[] = [];
    const relay = createRelay((near) => {
      const far = dial(port, "127.0.0.1");
      relayed.push(near, far);
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
    client = connect({ kind: "kubeconfig", text: kubeconfigFor((relay.address() as AddressInfo).port), trusted: true });
    await client.get(ref);
    // From here on neither side hears of the other, and nobody is told.
    for (const socket of relayed) socket.unpipe().pause();
    const now = performance.now.bind(performance);
    const aMinuteLater = vi.spyOn(performance, "now").mockImplementation(() => now() + 60_000);
    try {
      await Promise.all([client.get(ref), ...Array.from({ length: 40 }, () => client.apply(configMap("a")))]);
    } finally {
      aMinuteLater.mockRestore();
      for (const socket of relayed) socket.destroy();
      relay.close();
    }
    expect(sockets.size).toBe(2);
  });

  it("are opened again when the server closes them", async () => {
    const { sockets } = await start("h2");
    await client.get(ref);
    sessions.at(-1)?.destroy();
    await client.get(ref);
    sessions.at(-1)?.goaway();
    await client.get(ref);
    expect(sockets.size).toBe(3);
  });
});
