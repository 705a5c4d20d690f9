import type { ApiEvent } from "./exchange.ts";

/** Headers by their names in lower case; gateways pass names on as clients wrote them. */
export function headersOf({ headers }: ApiEvent): Record<string, string> {
  const entries = Object.entries(headers ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name.toLowerCase(), value] as const],
  );
  return Object.fromEntries(entries);
}
