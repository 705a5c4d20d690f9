export type ByteRange = { start: number; end: number };

/**
 * Reads a `Range` header of a download (RFC 9110): both ends are inclusive. What is not one range of bytes is to be
 * ignored and gives undefined; a range that lies outside of the content gives `unsatisfiable`.
 */
export function parseByteRange(header: string | undefined, sizeBytes: number): ByteRange | "unsatisfiable" | undefined {
  const match = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/.exec(header?.trim() ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? "unsatisfiable" : { start: sizeBytes - length, end: sizeBytes - 1 };
  }
  const start = Number(first);
  const end = last === "" ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (last !== "" && Number(last) < start) return undefined;
  return start >= sizeBytes ? "unsatisfiable" : { start, end };
}
