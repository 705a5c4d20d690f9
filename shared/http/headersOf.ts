import type { ApiEvent } from "./exchange.ts";

/** Headers by their names in lower case; gateways pass names on as clients wrote them. */
export function headersOf({ headers }: ApiEvent): Record<string, string> {
  const byName: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {}))
    if (value !== undefined) byName[name.toLowerCase()] = value;
  return byName;
}

const maxUserAgentCharacters = 200;

/** What a request says of the program that sends it, its first 200 characters; empty where it says nothing. */
export function userAgentIn(headers: Readonly<Record<string, string>>): string {
  return (headers["user-agent"] ?? "").slice(0, maxUserAgentCharacters).toWellFormed();
}
