import { randomBytes } from "node:crypto";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Sockets } from "../../../../shared/base/aws/adapters.ts";
import { log } from "../../../../shared/base/settings/log.ts";
import type { FunctionRunner } from "../functions/functionRunner.ts";

/** As much as API Gateway takes in one message, and in one that a function sends. */
const limits = { maxMessageBytes: 128 * 1024, idleSeconds: 600, longestSeconds: 7200 };

export type SocketLimits = typeof limits;

/** Tells of the services of an environment by `post`, until the signal ends it. */
export type FollowServices = (
  followed: { tokenHash: string; environment: { projectKey: string; envKey: string } },
  post: (text: string) => Promise<boolean>,
  signal: AbortSignal,
) => Promise<void>;

export interface SocketServer {
  adapter: Sockets;
  /** Answers a request to upgrade to a WebSocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  /** Closes every connection. */
  close(): void;
}

interface Connection {
  socket: WebSocket;
  /** Ends the watch of an environment. */
  watch?: AbortController;
}

interface Answer {
  statusCode?: number;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

/**
 * API Gateway's WebSocket API on one machine: a function is called for each connection that comes, for each message and for
 * the end, and holds to the same limits: 128 KB a message, text alone, ten minutes idle, two hours at all.
 * @param functionName that of the function, which is asked by `runner`
 */
export function createSocketServer(
  runner: FunctionRunner,
  functionName: string,
  followServices: FollowServices = async () => undefined,
  { maxMessageBytes, idleSeconds, longestSeconds }: SocketLimits = limits,
): SocketServer {
  const connections = new Map<string, Connection>();
  const server = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, clientTracking: false });

  /** @throws Error in the function's words when it fails */
  async function call(routeKey: string, connectionId: string, more: object = {}): Promise<Answer> {
    const event = { requestContext: { routeKey, connectionId }, ...more };
    const { error, payload } = await runner.run(functionName, JSON.stringify(event));
    if (error) throw new Error(`${functionName} failed: ${error.errorType}: ${error.errorMessage}`);
    return (JSON.parse(payload) ?? {}) as Answer;
  }

  function accept(connectionId: string, socket: WebSocket): void {
    const connection: Connection = { socket };
    connections.set(connectionId, connection);
    const end = (): void => socket.close(1001, "Going away");
    const longest = setTimeout(end, longestSeconds * 1000);
    const idle = setTimeout(end, idleSeconds * 1000);
    socket.on("message", (data, isBinary) => {
      idle.refresh();
      if (isBinary) return socket.close(1003, "binary messages are not supported");
      call("$default", connectionId, { body: String(data) })
        .then(({ body }) => body !== undefined && socket.send(body))
        .catch((error: unknown) => {
          log.error("a message of a change socket was not answered", { internal: String(error) });
          const failed = { message: "Internal server error", connectionId, requestId: randomBytes(8).toString("hex") };
          socket.send(JSON.stringify(failed));
        });
    });
    socket.on("error", () => socket.terminate());
    socket.once("close", () => {
      clearTimeout(longest);
      clearTimeout(idle);
      connections.delete(connectionId);
      connection.watch?.abort();
      call("$disconnect", connectionId).catch((error: unknown) =>
        log.error("the end of a change socket was not noted", { internal: String(error) }),
      );
    });
  }

  async function post(connectionId: string, text: string): Promise<boolean> {
    const socket = connections.get(connectionId)?.socket;
    if (socket === undefined || socket.readyState !== socket.OPEN) return false;
    return new Promise((resolve) => socket.send(text, (error) => resolve(error === undefined || error === null)));
  }

  return {
    adapter: {
      post,
      close: async (connectionId) => connections.get(connectionId)?.socket.close(1000),
      followServices: async (connectionId, followed) => {
        const connection = connections.get(connectionId);
        connection?.watch?.abort();
        if (connection === undefined || followed === undefined) return false;
        const watch = new AbortController();
        connection.watch = watch;
        followServices(followed, (text) => post(connectionId, text), watch.signal).catch((error: unknown) => {
          if (!watch.signal.aborted) log.error("services are not followed", { internal: String(error) });
        });
        return true;
      },
    },
    async upgrade(request, socket, head) {
      socket.on("error", () => socket.destroy());
      const connectionId = randomBytes(12).toString("base64url");
      const headers = Object.fromEntries(
        Object.entries(request.headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
      );
      const answer = await call("$connect", connectionId, { headers }).catch((error: unknown): Answer => {
        log.error("a change socket was not opened", { internal: String(error) });
        return { statusCode: 500 };
      });
      if (answer.statusCode !== 200) return refuse(socket, answer);
      // `ws` answers the first protocol that is offered; here the function says which.
      const protocol = answer.headers?.["Sec-WebSocket-Protocol"];
      if (protocol !== undefined) request.headers["sec-websocket-protocol"] = protocol;
      server.handleUpgrade(request, socket, head, (opened) => accept(connectionId, opened));
    },
    close() {
      for (const { socket } of connections.values()) socket.close(1001, "Slipway stops");
      // A client that does not answer the close is not waited for.
      for (const { socket } of connections.values()) setTimeout(() => socket.terminate(), 500).unref();
    },
  };
}

function refuse(socket: Duplex, { statusCode = 500, body = "" }: Answer): void {
  const head = [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ""}`,
    "Connection: close",
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
