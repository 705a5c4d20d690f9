import { taken } from "@slipway/client";
import { queryOptions } from "@tanstack/react-query";
import { slipway, visitor } from "../session.ts";
import { readDocument, type SentDocument } from "./apiDocument.ts";
import { type Choice, choiceOf, recordsOf, type Source } from "./choices.ts";

/** The document of this Slipway; it changes with an upgrade only. */
export const documentQuery = queryOptions({
  queryKey: ["API document"],
  queryFn: async () => readDocument((await taken(visitor().GET("/openapi.json"))) as unknown as SentDocument),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Asks for what is known by its path only at run time. */
export function ask(method: string, path: string, init: object = {}) {
  const request = slipway().request as unknown as (method: string, path: string, init: object) => Sent;
  return request(method.toLowerCase(), path, init);
}

type Sent = Promise<{ data?: unknown; response: Response }>;

export const choicesQuery = (source: Source) =>
  queryOptions({
    queryKey: ["choices", source],
    queryFn: async (): Promise<Choice[]> => {
      const answer = await taken(ask("GET", source.path, { params: { query: source.query ?? {} } }));
      return (recordsOf(answer) ?? []).flatMap((record) => choiceOf(record, source));
    },
    staleTime: 30_000,
  });
