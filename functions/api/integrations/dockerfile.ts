/** Stored inside the record, far below the size of an item. */
const maxBytes = 64 * 1024;

/** Why a text is no Dockerfile that a build could begin with; undefined when it may be one. */
export function dockerfileProblem(text: string): string | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) return `has ${bytes} bytes; at most ${maxBytes} are allowed`;
  const instructions = text
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  const first = instructions.find((line) => !/^ARG\s/i.test(line));
  if (first === undefined) return "must have an instruction FROM";
  if (!/^FROM\s+\S/i.test(first)) return "must begin with FROM <image>; only comments and ARG may stand before it";
  return undefined;
}
