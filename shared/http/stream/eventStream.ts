import { once } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import type { LogPiece } from "../../base/common/timedLines.ts";
import { config } from "../../base/settings/config.ts";
import { log } from "../../base/settings/log.ts";
import type { StreamInput } from "../createApi.ts";
import { toApiError } from "../pipeline/renderErrors.ts";
import type { Route } from "../route.ts";
import { errorEvent, keepAlive, LineEvents } from "./lineEvents.ts";
import { type OpenPlace, openStreamPlace } from "./openStreamPlace.ts";

/** Decisions 7.9: a comment line so often. */
const beatSeconds = 15;
/** What is held for a client that reads slowly; beyond it the source waits. */
const maxHeldBytes = 64 * 1024;

/**
 * The lines of a source as server-sent events, as fast as they are read. A source that fails ends the stream with one
 * `event:error`; destroying the stream releases the source at once. Where streams have an end, as in AWS, where the
 * departure of a client is not seen, the last line says when to reconnect; `Last-Event-ID` continues from there.
 * @param open is given the signal that ends the source: the client left, Slipway stops, or the time is up. What it
 * throws is still an ordinary answer
 * @param session that has one stream of this kind, the newest
 * @param share of the places for streams, where they have a number
 * @throws ApiError 429 when too many streams are open
 */
export async function eventStream(
  input: Pick<StreamInput<Route>, "requestId" | "signal">,
  open: (signal: AbortSignal, place: OpenPlace) => Promise<AsyncIterable<readonly LogPiece[]>>,
  { share = 1, session }: { share?: number; session?: string | undefined } = {},
): Promise<Readable> {
  const { requestId, signal } = input;
  const unwanted = new AbortController();
  const ends = AbortSignal.any([signal, unwanted.signal]);
  const place = await openStreamPlace(share, session);
  const { leave } = place;
  const source = await open(ends, place).catch(async (error: unknown) => {
    await leave();
    throw error;
  });
  const out = new PassThrough({ highWaterMark: maxHeldBytes });
  const events = new LineEvents();
  const maxSeconds = config().SLIPWAY_STREAM_SECONDS || Number.POSITIVE_INFINITY;
  const time = { isOver: false };
  let passedSeconds = 0;
  const timer = setInterval(() => {
    passedSeconds += beatSeconds;
    // A client that does not even take the end is not waited for.
    if (time.isOver) out.destroy();
    else if (passedSeconds >= maxSeconds) {
      time.isOver = true;
      unwanted.abort();
    } else if (!events.isOpen && !out.writableNeedDrain && !out.writableEnded) out.write(keepAlive);
  }, beatSeconds * 1000);
  out.once("close", () => {
    clearInterval(timer);
    unwanted.abort();
    leave().catch((error: unknown) => log.error("stream not counted off", { requestId, internal: String(error) }));
    log.info("stream ended", { requestId });
  });
  void pump(source, events, out, { requestId, signal: ends, time, leave });
  return out;
}

async function pump(
  source: AsyncIterable<readonly LogPiece[]>,
  events: LineEvents,
  out: PassThrough,
  run: { requestId: string; signal: AbortSignal; time: { isOver: boolean }; leave: () => Promise<void> },
): Promise<void> {
  let last: Uint8Array = new Uint8Array();
  try {
    for await (const pieces of source) {
      // What was read after the end is read again by a client that reconnects.
      if (run.time.isOver) break;
      if (!out.write(events.push(pieces))) await once(out, "drain", { signal: run.signal });
    }
  } catch (error) {
    if (!run.signal.aborted) last = failure(error, run.requestId);
  }
  // Lambda stops a function at the end of its answer, so that nothing is done after it.
  await run.leave().catch(() => undefined);
  if (out.destroyed) return;
  out.end(run.time.isOver ? events.comeAgain() : Buffer.concat([events.end(), last]));
}

function failure(error: unknown, requestId: string): Buffer {
  const { description, cause, status } = toApiError(error, requestId);
  if (status >= 500) log.error("stream failed", { requestId, internal: String(cause ?? error) });
  return errorEvent(description);
}
