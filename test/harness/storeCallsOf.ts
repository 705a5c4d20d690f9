import { text } from "node:stream/consumers";
import { groups } from "../../functions/api/groups.ts";
import { handlers } from "../../infra/local/handlers.ts";
import { closeForgotten } from "../../shared/access/audit/closeForgotten.ts";
import { recordStoreCalls, type StoreCall } from "../../shared/base/store/storeCalls.ts";
import type { ApiEvent } from "../../shared/http/exchange.ts";
import { adminToken } from "./slipway.ts";

export interface Measured {
  status: number;
  body: string;
  calls: StoreCall[];
  /** Read or write units of `calls` together. */
  units: number;
}

/** Sends one request straight to its group's handler, in this process, and counts what it asks of the table. */
export async function storeCallsOf(
  method: string,
  path: string,
  options: { body?: unknown; token?: string; address?: string } = {},
): Promise<Measured> {
  const [rawPath = "/", search = ""] = path.split("?");
  const query: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(search)) query[name] = [...(query[name] ?? []), value];
  const event: ApiEvent = {
    httpMethod: method,
    path: rawPath,
    headers: { authorization: `Bearer ${options.token ?? adminToken}` },
    multiValueQueryStringParameters: query,
    body: options.body === undefined ? null : JSON.stringify(options.body),
    isBase64Encoded: false,
    requestContext: options.address === undefined ? {} : { identity: { sourceIp: options.address } },
  };
  const name = [...groups]
    .flatMap((group) => group.prefixes.map((prefix) => ({ prefix, name: group.name })))
    .sort((a, b) => b.prefix.length - a.prefix.length)
    .find(({ prefix }) => prefix === "/" || rawPath === prefix || rawPath.startsWith(`${prefix}/`))?.name;
  const handler = handlers[name ?? ""];
  if (handler === undefined) throw new Error(`no group answers ${path}`);
  // Once a minute a process looks for requests that were killed: not in this one.
  await closeForgotten();
  const { result, calls } = await recordStoreCalls(() => handler(event, {}));
  const body = result.stream === undefined ? result.body : await text(result.stream);
  return { status: result.statusCode, body, calls, units: unitsOf(calls) };
}

export function unitsOf(calls: readonly StoreCall[]): number {
  return calls.reduce((sum, call) => sum + call.capacityUnits, 0);
}

/**
 * The record of a mutation: its numbers and the end of its chain are asked for at once, so they come in any order; its places
 * in lists, and itself. The note before the work is none of them.
 */
export const operationLogKinds: readonly string[] = ["add", "add", "get", "write", "write"];

/** Kinds of the calls behind authentication, those of the operation log in the order of `operationLogKinds`. */
export function kindsOf({ calls }: Measured, authentication: number): string[] {
  const kinds = calls.slice(authentication).map((call) => call.kind);
  const own = kinds.length - operationLogKinds.length;
  return [...kinds.slice(0, own), ...kinds.slice(own, -1).sort(), ...kinds.slice(-1)];
}
