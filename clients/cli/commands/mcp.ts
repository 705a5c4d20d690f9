import type { Command } from "commander";
import { sessionOf } from "../session.ts";

export function mcpCommand(program: Command): void {
  program
    .command("mcp")
    .description("serve Slipway's tools to assistants by MCP, over standard input and output (docs/mcp.md)")
    .action(async (_options: object, command: Command) => {
      // Other commands need not wait for it to be read.
      const { serveStdio } = await import("@slipway/mcp");
      await serveStdio(() => sessionOf(command).connection);
    });
}
