import { pause } from "./pause.ts";
import { SlipwayError } from "./slipwayError.ts";

/** Statuses after which the same request may pass a moment later. */
const passing = new Set([429, 502, 503, 504]);
const firstPauseMilliseconds = 200;
const maxPauseMilliseconds = 30_000;

/** One request as it was sent, and what came back. */
export interface Exchange {
  method: string;
  url: string;
  /** Undefined where nothing answered. */
  status: number | undefined;
  milliseconds: number;
  requestId: string;
}

/**
 * A `fetch` that asks again while nothing answers or Slipway asks for patience (`Retry-After` in seconds is honoured).
 * A change carries an idempotency key, so that a change whose answer was lost is not made twice.
 * @param tries at least 1
 * @param observe is told of every try
 * @throws SlipwayError with status 0 when the last try got no answer
 */
export function retryingFetch(
  tries: number,
  observe?: (exchange: Exchange) => void,
): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method !== "GET" && !request.headers.has("Idempotency-Key"))
      request.headers.set("Idempotency-Key", randomKey());
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === tries;
      const startedAt = performance.now();
      const sent = await fetch(request.clone()).catch((error: Error) => error);
      const answer = sent instanceof Response ? sent : undefined;
      observe?.({
        ...{ method: request.method, url: request.url, status: answer?.status },
        milliseconds: performance.now() - startedAt,
        requestId: answer?.headers.get("x-request-id") ?? "",
      });
      if (sent instanceof Error && (isLast || request.signal.aborted)) throw unreachable(request, sent);
      if (answer !== undefined && (isLast || !passing.has(answer.status))) return answer;
      const seconds = Number(answer?.headers.get("retry-after") ?? "");
      const grown = firstPauseMilliseconds * 2 ** (attempt - 1);
      await answer?.body?.cancel();
      await pause(Math.min(seconds > 0 ? seconds * 1000 : grown, maxPauseMilliseconds), request.signal);
    }
  };
}

function unreachable(request: Request, error: Error): unknown {
  if (request.signal.aborted) return request.signal.reason;
  const reason = error.cause instanceof Error ? error.cause.message || error.cause.name : error.message;
  return new SlipwayError({
    ...{ status: 0, code: 0, message: `nothing answers at ${new URL(request.url).origin}`, requestId: "" },
    description: reason,
    cause: error,
  });
}

/** Browsers have `randomUUID` on addresses with https and on this machine only. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
