import type { IncomingMessage } from "node:http";
import { ImageProblem } from "./imageProblem.ts";
import type { RegistryLine } from "./registryLine.ts";
import type { Descriptor } from "./rules/manifest.ts";

/** How often in a row a source may cut off without having sent anything. */
const maxEmptyTries = 5;

/** Where a blob is read from. */
export interface BlobSource {
  line: RegistryLine;
  repository: string;
}

/**
 * The bytes of a blob from an offset to its end, as they come. A connection that is cut is made again and continues
 * where it was (`Range`); the caller notices nothing.
 * @throws ImageProblem
 */
export async function* readBlob(
  { line, repository }: BlobSource,
  { digest, size }: Descriptor,
  offset = 0,
): AsyncGenerator<Buffer> {
  const request = { method: "GET", repository, to: `blobs/${digest}`, about: digest } as const;
  let at = offset;
  for (let empty = 0; at < size; ) {
    const isRest = at > 0;
    const answer = await line.send({ ...request, ...(isRest && { headers: { range: `bytes=${at}-` } }) });
    if (answer.statusCode !== 200 && answer.statusCode !== 206) throw await line.explain(answer, request);
    // A registry that knows no ranges begins at the beginning.
    let skip = answer.statusCode === 206 && isRest ? 0 : at;
    const before = at;
    try {
      for await (const part of answer as AsyncIterable<Buffer>) {
        const wanted = skip === 0 ? part : part.subarray(skip);
        skip -= Math.min(skip, part.length);
        if (wanted.length === 0) continue;
        at += wanted.length;
        if (at > size) throw tooLong({ line, repository }, digest, size);
        yield wanted;
      }
      if (at >= size) return;
    } catch (error) {
      if (!isCut(error)) throw error;
    } finally {
      closeAnswer(answer);
    }
    empty = at === before ? empty + 1 : 0;
    if (empty === maxEmptyTries) throw cutOff({ line, repository }, digest, at, size);
  }
}

/** Closing an answer that is not read to its end closes its connection too. */
function closeAnswer(answer: IncomingMessage): void {
  if (!answer.readableEnded) answer.destroy();
}

function isCut(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && /^(ECONN|EPIPE|ETIMEDOUT|ERR_STREAM|HPE_)/.test(String(error.code))
  );
}

const shown = ({ line, repository }: BlobSource, digest: string) => `${line.access.address}/${repository} (${digest})`;

function tooLong(source: BlobSource, digest: string, size: number): ImageProblem {
  const text = `${shown(source, digest)}: the registry sends more than the ${size} bytes that the manifest names`;
  return new ImageProblem(`${text}; push the image again`, { retryable: false });
}

function cutOff(source: BlobSource, digest: string, at: number, size: number): ImageProblem {
  const text = `${shown(source, digest)}: the connection was cut after ${at} of ${size} bytes`;
  return new ImageProblem(`${text}, ${maxEmptyTries} times; try again later`, { retryable: true });
}
