import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "../../../../shared/kube/client/connect.ts";
import type { SentRequest, TransportOptions } from "../../../../shared/kube/client/wire/transport.ts";

export interface ScriptedAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Break the connection instead of answering. */
  reset?: boolean;
}

/** An HTTP server that answers as a test says, and a client for it that records what was sent. */
export async function startApiServer(
  answer: (
    request: IncomingMessage,
    body: string,
    count: number,
  ) => ScriptedAnswer | ((response: ServerResponse) => void),
  options: TransportOptions = {},
) {
  let count = 0;
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    count += 1;
    const given = answer(request, Buffer.concat(parts).toString(), count);
    if (typeof given === "function") return given(response);
    if (given.reset === true) return request.socket.destroy();
    response.writeHead(given.status ?? 200, { "content-type": "application/json", ...given.headers });
    response.end(JSON.stringify(given.body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sent: SentRequest[] = [];
  const text = JSON.stringify({
    "current-context": "test",
    clusters: [{ name: "test", cluster: { server: url } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    users: [{ name: "test", user: { token: "t" } }],
  });
  const client = connect(
    { kind: "kubeconfig", text, trusted: true },
    { ...options, onRequest: (request) => sent.push(request) },
  );
  return {
    url,
    kubeconfig: text,
    client,
    sent,
    /** How many requests arrived. */
    asked: () => count,
    close() {
      client.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

export function status(code: number, reason: string, message: string, causes: unknown[] = []): ScriptedAnswer {
  return { status: code, body: { kind: "Status", apiVersion: "v1", code, reason, message, details: { causes } } };
}

export function configMap(name: string, extra: Record<string, unknown> = {}) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "shop", ...extra } };
}
