import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { sum } from "./figures.ts";

export interface Load {
  url: string;
  path: string;
  token: string;
  connections: number;
  seconds: number;
}

export interface Rate {
  requests: number;
  perSecond: number;
}

/**
 * How many answers to one GET come over kept connections, one request at a time on each. Speaks HTTP itself, because a client
 * library would be slower than the fastest server it measures. @throws when an answer is not 200
 */
export async function rateOf({ url, path, token, connections, seconds }: Load): Promise<Rate> {
  const { hostname, port } = new URL(url);
  const request = `GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const endsAt = performance.now() + seconds * 1000;
  const startedAt = performance.now();
  const counts = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(Number(port), hostname).setNoDelay(true);
      await once(socket, "connect");
      return drive(socket, request, endsAt).finally(() => socket.destroy());
    }),
  );
  const requests = sum(counts);
  return { requests, perSecond: requests / ((performance.now() - startedAt) / 1000) };
}

function drive(socket: Socket, request: string, endsAt: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let answered = 0;
    let received = "";
    socket.setEncoding("latin1");
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the server closed the connection")));
    socket.on("data", (text: string) => {
      received += text;
      const size = answerSize(received);
      if (size === undefined || received.length < size) return;
      if (!received.startsWith("HTTP/1.1 200 ")) return reject(new Error(received.slice(0, 500)));
      received = received.slice(size);
      answered += 1;
      if (performance.now() >= endsAt) resolve(answered);
      else socket.write(request);
    });
    socket.write(request);
  });
}

/** Bytes of head and body; undefined while the head is incomplete. */
function answerSize(received: string): number | undefined {
  const head = received.indexOf("\r\n\r\n");
  if (head < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(received.slice(0, head + 2))?.[1];
  if (length === undefined) throw new Error(`an answer without a length: ${received.slice(0, head)}`);
  return head + 4 + Number(length);
}
