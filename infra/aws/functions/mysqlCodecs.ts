/**
 * In a bundle, what mysql2 asks of `iconv-lite` (half a megabyte of tables): sessions speak UTF-8 alone, which mysql2 reads
 * by itself; another encoding is one that Node knows.
 */
export function getDecoder(encoding: string) {
  const decoder = new TextDecoder(encoding);
  return { write: (bytes: Buffer) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
}

export function getEncoder(encoding: string) {
  return { write: (text: string) => Buffer.from(text, encoding as BufferEncoding), end: () => undefined };
}
