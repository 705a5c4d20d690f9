import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Connection } from "@slipway/client";
import { mcpServer } from "./server.ts";

export { serveHttp } from "./serveHttp.ts";

/**
 * Serves the host that started this process on its standard input and output, until it closes them.
 * @param connectionOf asked at every call
 */
export async function serveStdio(connectionOf: () => Connection): Promise<void> {
  const server = mcpServer(connectionOf);
  const closed = new Promise<void>((done) => {
    server.onclose = done;
    process.stdin.once("end", () => void server.close());
  });
  await server.connect(new StdioServerTransport());
  await closed;
}
