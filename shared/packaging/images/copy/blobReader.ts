import { createHash, type Hash } from "node:crypto";
import { ImageProblem } from "../imageProblem.ts";
import { type BlobSource, readBlob } from "../readBlob.ts";
import { algorithmOf } from "../rules/imageNames.ts";
import type { Descriptor } from "../rules/manifest.ts";

export interface BlobReader {
  /** Takes the next bytes of the blob, so many at most. What was taken last may be taken again after `backTo`. */
  take(count: number): AsyncGenerator<Buffer>;
  /** Remembers this place, for `backTo`. */
  mark(): void;
  /**
   * Goes on at an offset that is not before the last mark.
   * @throws ImageProblem
   */
  backTo(offset: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Reads a blob once to its end and checks that it is what its digest says: its last bytes are given only after that, so that
 * no target ever has the whole of a wrong blob.
 * @param start where to begin; the bytes before are not seen, so that the check is left to the target
 */
export function openBlobReader(source: BlobSource, blob: Descriptor, start = 0): BlobReader {
  let parts = readBlob(source, blob, start);
  let rest = Buffer.alloc(0);
  let offset = start;
  let hash = start === 0 ? createHash(algorithmOf(blob.digest)) : undefined;
  /** Counts the ways back: what was taken before one yields nothing from then on. */
  let age = 0;
  let marked: { offset: number; hash: Hash | undefined } = { offset, hash: hash?.copy() };

  async function next(count: number): Promise<Buffer | undefined> {
    if (rest.length === 0) {
      const { value, done } = await parts.next();
      if (done === true) return undefined;
      rest = value as Buffer<ArrayBuffer>;
    }
    const part = rest.subarray(0, count);
    rest = rest.subarray(part.length);
    offset += part.length;
    hash?.update(part);
    if (hash !== undefined && offset === blob.size) checkDigest(source, blob, hash.copy().digest("hex"));
    return part;
  }

  return {
    async *take(count) {
      const born = age;
      for (let left = count; left > 0; ) {
        const part = await next(left);
        if (part === undefined || born !== age) return;
        left -= part.length;
        yield part;
      }
    },
    mark: () => {
      marked = { offset, hash: hash?.copy() };
    },
    async backTo(wanted) {
      age++;
      await parts.return(undefined);
      parts = readBlob(source, blob, marked.offset);
      rest = Buffer.alloc(0);
      offset = marked.offset;
      hash = marked.hash?.copy();
      while (offset < wanted) await next(wanted - offset);
    },
    close: async () => {
      age++;
      await parts.return(undefined);
    },
  };
}

/** A blob that fits into memory. */
export async function readWholeBlob(source: BlobSource, blob: Descriptor): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of readBlob(source, blob)) parts.push(part);
  const whole = Buffer.concat(parts);
  checkDigest(source, blob, createHash(algorithmOf(blob.digest)).update(whole).digest("hex"));
  return whole;
}

/** Wrong bytes came, on the way or from the source. */
export class WrongDigest extends ImageProblem {}

function checkDigest(source: BlobSource, { digest }: { digest: string }, hex: string): void {
  const came = `${algorithmOf(digest)}:${hex}`;
  if (came === digest) return;
  const { line, repository } = source;
  const text = `${line.access.address}/${repository} (${digest}): the registry sent bytes with the digest ${came}`;
  throw new WrongDigest(`${text}; push the image there again`, { retryable: false });
}
