import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface VendorRequest {
  method: string;
  /** With the query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

/** `drop`: the connection breaks before an answer. */
export type VendorReply = { status: number; body: unknown; headers?: Record<string, string> } | "drop";

export interface VendorServer {
  url: string;
  received: VendorRequest[];
  receivedOn(path: string): VendorRequest[];
  close(): Promise<void>;
}

/** A chat service's interface on loopback. */
export async function startVendorServer(
  answerTo: (request: VendorRequest) => VendorReply | Promise<VendorReply>,
): Promise<VendorServer> {
  const received: VendorRequest[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const text = Buffer.concat(parts).toString("utf8");
    const { method = "", url: path = "", headers } = request;
    const seen = { method, path, headers, body: text === "" ? {} : JSON.parse(text) };
    received.push(seen);
    const reply = await answerTo(seen);
    if (reply === "drop") return void request.socket.destroy();
    response
      .writeHead(reply.status, { "content-type": "application/json", ...reply.headers })
      .end(JSON.stringify(reply.body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    receivedOn: (path) => received.filter((one) => one.path.split("?")[0] === path),
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
