/**
 * In a bundle, what mysql2 asks of `iconv-lite` (half a megabyte of tables): sessions speak UTF-8, and before that a server
 * names itself in an encoding that Node knows. MySQL's older UTF-8, which mysql2 calls `cesu8`, is the same for what both have.
 */
const knownName = (encoding: string): string => (encoding === "cesu8" ? "utf8" : encoding);

export function getDecoder(encoding: string) {
  const decoder = new TextDecoder(knownName(encoding));
  return { write: (bytes: Buffer) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
}

export function getEncoder(encoding: string) {
  const write = (text: string) => Buffer.from(text, knownName(encoding) as BufferEncoding);
  return { write, end: () => undefined };
}
