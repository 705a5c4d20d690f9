const declaration = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']/;

/**
 * The text of an XML file, without its byte order mark, in the encoding that the file says it has (XML 1.0, appendix F):
 * by its byte order mark, else by how `<` is written, else by its declaration, else UTF-8. Bytes that the encoding does not
 * have become U+FFFD: one wrong character of a message does not cost a report.
 * @throws Error for an unknown encoding
 */
export function decodeXml(bytes: Buffer): string {
  const encoding = encodingOf(bytes);
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch (cause) {
    throw new Error(`its encoding ${JSON.stringify(encoding.slice(0, 40))} is not known; write it as UTF-8`, { cause });
  }
}

function encodingOf(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xef && second === 0xbb && bytes[2] === 0xbf) return "utf-8";
  const lessThan = 0x3c;
  if (first === lessThan && second === 0) return "utf-16le";
  if (first === 0 && second === lessThan) return "utf-16be";
  const declared = declaration.exec(bytes.toString("latin1", 0, 1024))?.[1]?.trim() ?? "utf-8";
  // Legible as single bytes it is not UTF-16, whatever it says: so .NET declares a text that was then stored otherwise.
  return /^(?:utf-?16|iso-10646-ucs-2|ucs-2|unicode)/i.test(declared) ? "utf-8" : declared;
}
