import { type Connection, connect, type Slipway } from "@slipway/client";
import type { Command } from "commander";
import { readContexts } from "./contexts.ts";
import { WrongUsage } from "./endings.ts";

export interface Session {
  connection: Connection;
  slipway: Slipway;
  /** Machines read the output. */
  isJson: boolean;
}

/** Options that every command has. */
export interface Shared {
  context?: string;
  output?: string;
}

/**
 * Whom a command talks to: `SLIPWAY_ADDRESS` with `SLIPWAY_TOKEN`, else the context of `--context`, else the current one.
 * @throws WrongUsage when there is none
 */
export function sessionOf(command: Command): Session {
  const { context, output } = command.optsWithGlobals<Shared>();
  const connection = connectionOf(context);
  return { connection, slipway: connect(connection), isJson: output === "json" };
}

function connectionOf(named: string | undefined): Connection {
  const address = process.env.SLIPWAY_ADDRESS;
  if (address && named === undefined) return { address, token: process.env.SLIPWAY_TOKEN };
  const { current, contexts } = readContexts();
  const name = named ?? current;
  const context = contexts[name];
  if (context !== undefined) return { ...context, token: process.env.SLIPWAY_TOKEN || context.token };
  if (named !== undefined)
    throw new WrongUsage(`there is no context ${named}; \`slipway context\` lists those that are there`);
  throw new WrongUsage(
    "nobody is signed in: `slipway up` starts Slipway on this machine and signs you in; `slipway login ADDRESS` signs in elsewhere",
  );
}
