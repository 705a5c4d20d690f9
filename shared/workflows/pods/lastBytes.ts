/** Of a job's log that is kept, from its end. */
export const keptLogBytes = 16 * 1024 * 1024;

const lineFeed = 10;

/**
 * The end of a text that comes in pieces, from the beginning of a line on; where something is left out before it, a first
 * line says so. No more than the bytes that are kept, and one piece, are in memory.
 */
export async function* lastBytes(text: AsyncIterable<Uint8Array>, most = keptLogBytes): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let isCut = false;
  for await (const piece of text) {
    pieces.push(piece);
    bytes += piece.length;
    for (let [oldest] = pieces; oldest !== undefined && bytes - oldest.length >= most; [oldest] = pieces) {
      isCut = true;
      bytes -= oldest.length;
      pieces.shift();
    }
  }
  const kept = Buffer.concat(pieces);
  if (!isCut && kept.length <= most) {
    yield kept;
    return;
  }
  const from = Math.max(0, kept.length - most);
  const line = from === 0 && !isCut ? 0 : kept.indexOf(lineFeed, Math.max(0, from - 1)) + 1;
  yield Buffer.from(`the beginning of this log is not kept: only its last ${most / 1024 / 1024} MiB are\n`);
  yield kept.subarray(line);
}
