import { connect, createServer, type Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

const { host, port } = workerData as { host: string; port: number };
let delay = 0;

/** Hands on what comes, in order, each piece `delay` later; the first after one more, for the handshake of TCP. */
function relayLate(from: Socket, to: Socket): void {
  const waiting: { due: number; piece: Buffer }[] = [];
  const openedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const pump = (): void => {
    timer = undefined;
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const left = next.due - performance.now();
      if (left > 0) {
        timer = setTimeout(pump, Math.ceil(left));
        return;
      }
      to.write(next.piece);
      waiting.shift();
    }
  };
  from.on("data", (piece: Buffer) => {
    if (delay === 0 && waiting.length === 0) {
      to.write(piece);
      return;
    }
    waiting.push({ due: Math.max(performance.now(), openedAt + delay) + delay, piece });
    if (timer === undefined) pump();
  });
}

const server = createServer((client) => {
  const upstream = connect(port, host);
  for (const socket of [client, upstream]) socket.setNoDelay(true);
  // The whole round trip is added on the way there; who waits for an answer sees no difference.
  relayLate(client, upstream);
  upstream.pipe(client);
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    one.on("close", () => other.destroy());
    one.on("error", () => other.destroy());
  }
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  parentPort?.postMessage(typeof address === "object" && address !== null ? address.port : 0);
});
parentPort?.on("message", (milliseconds: number) => {
  delay = milliseconds;
  parentPort?.postMessage("set");
});
