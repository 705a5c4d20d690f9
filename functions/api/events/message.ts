import type { LogPiece } from "../../../shared/base/common/timedLines.ts";

/** An event of the stream, as one line of JSON. */
export function message(id: string, content: object): LogPiece {
  return { id, bytes: Buffer.from(`${JSON.stringify({ id, ...content })}\n`) };
}
