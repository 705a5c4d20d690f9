import { EventSourceParserStream } from "eventsource-parser/stream";
import type { Connection } from "./index.ts";
import { pause } from "./pause.ts";
import { retryingFetch } from "./retryingFetch.ts";
import { errorOf, SlipwayError } from "./slipwayError.ts";

export interface LineEvent {
  text: string;
  /** Where a stream goes on after this line; absent where lines have no time. */
  id?: string;
}

/**
 * The lines of a log as they come. A stream that ends with an invitation to come again, as every one in AWS does after
 * two minutes, is gone on with from the last line.
 * @param path with its query
 * @param after the id of the last line that is known
 * @throws SlipwayError when Slipway refuses, or when the source of the stream fails
 */
export async function* lines(
  { address, token, tries = 4, observe }: Connection,
  path: string,
  signal?: AbortSignal,
  after?: string,
): AsyncGenerator<LineEvent, void, void> {
  const send = retryingFetch(tries, observe);
  let last = after;
  for (;;) {
    let retryMilliseconds: number | undefined;
    const request = new Request(address.replace(/\/+$/, "") + path, {
      headers: {
        Accept: "text/event-stream",
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(last !== undefined && { "Last-Event-ID": last }),
      },
      ...(signal && { signal }),
    });
    const answer = await send(request);
    if (!answer.ok || answer.body === null) throw await errorOf(answer);
    const parser = new EventSourceParserStream({ onRetry: (milliseconds) => (retryMilliseconds = milliseconds) });
    for await (const { data, event, id } of answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(parser)) {
      if (event === "error")
        throw new SlipwayError({ status: 200, code: 0, message: "the stream ended", description: data, requestId: "" });
      last = id ?? last;
      yield { text: data, ...(id !== undefined && { id }) };
    }
    if (retryMilliseconds === undefined) return;
    await pause(retryMilliseconds, signal);
  }
}
