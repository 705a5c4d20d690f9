import { openCompressed } from "../../base/aws/objects/compressedObject.ts";

/** A stored log as it comes, uncompressed, each line with its time in front; nothing when none is stored (contract W 14). */
export async function* readContainerLog(objectKey: string): AsyncGenerator<Uint8Array> {
  const log = await openCompressed(objectKey);
  if (log !== undefined) yield* log;
}
