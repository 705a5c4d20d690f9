import { once } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import { log } from "../log.ts";
import type { StreamInput } from "./createApi.ts";
import { errorEvent, keepAlive, LineEvents } from "./lineEvents.ts";
import { toApiError } from "./pipeline/renderErrors.ts";
import type { Route } from "./route.ts";

/** Decisions 7.9: a comment line so often, and an end so late; Lambda would cut it after fifteen minutes. */
const beatSeconds = 15;
const mostSeconds = 14 * 60;
/** What is held for a client that reads slowly; beyond it the source waits. */
const mostHeldBytes = 64 * 1024;

/**
 * The lines of a source as server-sent events, as fast as they are read. A source that fails ends the stream with one
 * `event:error`; whoever destroys the stream releases the source at once.
 * @param open is given the signal that ends the source: the client left, Slipway stops, or the time is over. What it
 * throws is an ordinary answer yet
 */
export async function eventStream(
  { requestId, signal }: Pick<StreamInput<Route>, "requestId" | "signal">,
  open: (signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>,
): Promise<Readable> {
  const unwanted = new AbortController();
  const ends = AbortSignal.any([signal, unwanted.signal]);
  const source = await open(ends);
  const out = new PassThrough({ highWaterMark: mostHeldBytes });
  const events = new LineEvents();
  let beats = 0;
  const timer = setInterval(() => {
    beats += 1;
    const passedSeconds = beats * beatSeconds;
    // Whoever does not even take the end is not waited for.
    if (passedSeconds > mostSeconds) out.destroy();
    else if (passedSeconds === mostSeconds) unwanted.abort();
    else if (!events.isOpen && !out.writableNeedDrain && !out.writableEnded) out.write(keepAlive);
  }, beatSeconds * 1000);
  out.once("close", () => {
    clearInterval(timer);
    unwanted.abort();
    log.info("stream ended", { requestId });
  });
  void pump(source, events, out, { requestId, signal: ends });
  return out;
}

async function pump(
  source: AsyncIterable<Uint8Array>,
  events: LineEvents,
  out: PassThrough,
  { requestId, signal }: { requestId: string; signal: AbortSignal },
): Promise<void> {
  let last: Uint8Array = new Uint8Array();
  try {
    for await (const chunk of source) {
      if (!out.write(events.push(chunk))) await once(out, "drain", { signal });
    }
  } catch (error) {
    if (!signal.aborted) last = failure(error, requestId);
  }
  if (!out.destroyed) out.end(Buffer.concat([events.end(), last]));
}

function failure(error: unknown, requestId: string): Buffer {
  const { description, cause, status } = toApiError(error, requestId);
  if (status >= 500) log.error("stream failed", { requestId, internal: String(cause ?? error) });
  return errorEvent(description);
}
