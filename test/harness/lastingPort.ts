import { once } from "node:events";
import { createServer } from "node:net";

/**
 * A free port of this machine that a program may count on finding free again after its end: it lies below those that
 * systems give to whoever asks for any (from 32768 on Linux), so that no test beside takes it meanwhile.
 */
export async function lastingPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer().listen(port, "127.0.0.1");
    const free = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!free) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
