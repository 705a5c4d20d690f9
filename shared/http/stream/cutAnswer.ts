import * as z from "zod";
import type { ApiResponse } from "../exchange.ts";
import type { Route } from "../route.ts";
import { maxAnswerBytes } from "./answerSize.ts";

/** Says how much of the list an answer holds, `812 of 2000`, where it does not hold all of it. */
export const cutHeader = "x-truncated";

/** Whether answers to it are cut: a list that comes in pages alone is not, as its next page would leave a gap. */
export function mayBeCut(route: Route): boolean {
  const hasPages = Object.keys((route.query as z.ZodObject).shape).some((name) => /^page|^perPage$/i.test(name));
  return (!hasPages || route.wholeToo === true) && (route.cutAt !== undefined || route.response instanceof z.ZodArray);
}

/** The answer with as much of its list, from the first on, as Lambda takes; undefined when that is nothing. */
export function cutAnswer({ cutAt }: Route, response: ApiResponse): ApiResponse | undefined {
  const answer: unknown = JSON.parse(response.body);
  const list = cutAt === undefined ? answer : (answer as Record<string, unknown>)[cutAt];
  if (!Array.isArray(list)) return undefined;
  const holding = (kept: readonly unknown[]): ApiResponse => ({
    statusCode: response.statusCode,
    headers: { ...response.headers, [cutHeader]: `${kept.length} of ${list.length}` },
    body: JSON.stringify(cutAt === undefined ? kept : { ...(answer as object), [cutAt]: kept, truncated: true }),
  });
  // A longer number in the header than that of nothing.
  let left = maxAnswerBytes - Buffer.byteLength(JSON.stringify(holding([]))) - String(list.length).length;
  let count = 0;
  for (const element of list) {
    left -= bytesInside(JSON.stringify(element)) + ",".length;
    if (left < 0) break;
    count += 1;
  }
  return count === 0 ? undefined : holding(list.slice(0, count));
}

/** Of a part of a body in the JSON that Lambda sends it in, where every quotation mark grows. */
function bytesInside(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
