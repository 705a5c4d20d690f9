import { createMasker } from "../domain/container/masker.ts";

const lineFeed = 10;

/** Logs of several containers as one: each begins on a line of its own. */
export async function* joinedLogs(
  logs: AsyncIterable<AsyncIterable<Uint8Array>> | Iterable<AsyncIterable<Uint8Array>>,
): AsyncGenerator<Uint8Array> {
  let last: number | undefined = lineFeed;
  for await (const log of logs) {
    let isFirst = true;
    for await (const chunk of log) {
      if (chunk.length === 0) continue;
      if (isFirst && last !== lineFeed) yield Buffer.from("\n");
      isFirst = false;
      last = chunk.at(-1);
      yield chunk;
    }
  }
}

/** The log without secrets. */
export async function* maskedLog(
  log: AsyncIterable<Uint8Array>,
  secrets: readonly string[],
): AsyncGenerator<Uint8Array> {
  const masker = createMasker(secrets);
  for await (const chunk of log) {
    const shown = masker.push(chunk);
    if (shown.length > 0) yield shown;
  }
  const rest = masker.flush();
  if (rest.length > 0) yield rest;
}
