import { once } from "node:events";
import type { Command } from "commander";
import { WrongUsage } from "../endings.ts";
import { sessionOf } from "../session.ts";
import { print } from "../terminal/print.ts";

interface McpOptions {
  http: boolean;
  host: string;
  port: string;
  allowHost: string[];
}

export function mcpCommand(program: Command): void {
  program
    .command("mcp")
    .description("serve Slipway's tools to assistants by MCP, over standard input and output (docs/mcp.md)")
    .option("--http", "serve streamable HTTP instead, to callers who bring tokens of their own", false)
    .option("--host <address>", "with --http: where it listens", "127.0.0.1")
    .option("--port <port>", "with --http: 0 takes a free one", "8765")
    .option("--allow-host <names...>", "with --http: names beside those of the loopback that it is reached by", [])
    .action(async ({ http, ...place }: McpOptions, command: Command) => {
      // Other commands need not wait for it to be read.
      const served = await import("@slipway/mcp");
      if (http) await untilStopped(served, place, command);
      else await served.serveStdio(() => sessionOf(command).connection);
    });
}

async function untilStopped(
  { serveHttp }: typeof import("@slipway/mcp"),
  { host, port, allowHost }: Omit<McpOptions, "http">,
  command: Command,
): Promise<void> {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new WrongUsage(`${port} is no port`);
  const { address } = sessionOf(command).connection;
  const { url, close } = await serveHttp({ address, host, port: Number(port), allowedHosts: allowHost });
  print(`MCP is served at ${url} for ${address}; Ctrl-C ends it.`);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  await close();
}
