import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  method: string;
  url: URL;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Answered = [status: number, body?: unknown, headers?: Record<string, string>];

/** An HTTP server on loopback that answers by one function; a text is sent as it is, everything else as JSON. */
export async function startLoopbackServer(answer: (asked: Asked) => Answered | Promise<Answered>) {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const url = new URL(request.url ?? "", "http://loopback");
    const { method = "GET", headers } = request;
    const [status, body = "", more = {}] = await answer({
      method,
      url,
      headers,
      body: Buffer.concat(parts).toString(),
    });
    const isText = typeof body === "string";
    response.writeHead(status, isText ? more : { "content-type": "application/json", ...more });
    response.end(isText ? body : JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
