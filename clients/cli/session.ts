import { type Connection, connect, type Exchange, type Slipway } from "@slipway/client";
import type { Command } from "commander";
import { type Context, readContexts } from "./contexts.ts";
import { WrongUsage } from "./endings.ts";
import { note } from "./terminal/print.ts";

export interface Session {
  connection: Connection;
  slipway: Slipway;
  /** Machines read the output. */
  isJson: boolean;
  /** How lists are shown to people: `wide` with every column, `name` with names alone. */
  form: Form;
  /** That commands use where none is named. */
  project?: string | undefined;
  /** Whose token it is, where that is known. */
  account?: string | undefined;
  uid?: string | undefined;
}

export type Form = "text" | "json" | "yaml" | "wide" | "name";

/** Options that every command has. */
export interface Shared {
  context?: string;
  output?: Form;
  debug?: boolean;
}

/**
 * Whom a command talks to: `SLIPWAY_ADDRESS` with `SLIPWAY_TOKEN`, else the context of `--context`, else the current one.
 * @throws WrongUsage when there is none
 */
export function sessionOf(command: Command): Session {
  const { context, output = "text", debug } = command.optsWithGlobals<Shared>();
  const { project, account, uid, ...found } = contextOf(context);
  const connection: Connection = { ...found, ...(debug && { observe: showExchange }) };
  const isJson = output === "json" || output === "yaml";
  return { connection, slipway: connect(connection), isJson, form: output, project, account, uid };
}

function showExchange({ method, url, status, milliseconds, requestId }: Exchange): void {
  const { pathname, search } = new URL(url);
  const outcome = status === undefined ? "no answer" : `${status}${requestId && `, request ${requestId}`}`;
  note(`> ${method} ${pathname}${search} ${outcome}, ${Math.round(milliseconds)} ms`);
}

function contextOf(
  named: string | undefined,
): Pick<Context, "address" | "project" | "account" | "uid"> & { token?: string | undefined } {
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
