import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream";

/** Hands every request on as it is; there so that the writes of all threads pass one place in this process. */
export async function forwardTo(endpoint: string): Promise<{ endpoint: string; close(): Promise<void> }> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = "/" } = incoming;
    const onward = request(new URL(url, endpoint), { agent, ...(method && { method }), headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, outgoing, () => {});
    });
    onward.once("error", () => outgoing.destroy());
    pipeline(incoming, onward, () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}
