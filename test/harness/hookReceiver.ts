import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { waitFor } from "./waitFor.ts";

export interface ReceivedHook {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A server on loopback that hooks and chat services can be pointed at. */
export interface HookReceiver {
  url: string;
  received: ReceivedHook[];
  /** Answers of the next calls, in order; afterwards the usual one again. */
  next: { status: number; body?: string /** Answered when this is over. */; after?: Promise<unknown> }[];
  /** What was received on a path, once there is so much of it. */
  receivedOn(path: string, count: number): Promise<ReceivedHook[]>;
  close(): Promise<void>;
}

/** @param usual the answer's body when nothing else is asked for */
export async function startHookReceiver(usual: (path: string) => string = () => ""): Promise<HookReceiver> {
  const received: ReceivedHook[] = [];
  const next: HookReceiver["next"] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { method = "", url = "", headers } = request;
    received.push({ method, path: url, headers, body: Buffer.concat(parts).toString("utf8") });
    const { status, body = usual(url), after } = next.shift() ?? { status: 200 };
    await after;
    response.writeHead(status).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const receivedOn = (path: string) => received.filter((one) => one.path === path);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    next,
    receivedOn: (path, count) =>
      waitFor(`${count} calls of ${path}`, async () => receivedOn(path).length >= count && receivedOn(path)),
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
