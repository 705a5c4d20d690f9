import { gunzipSync } from "node:zlib";
import { SaxesParser } from "saxes";
import { JunitTree } from "./rules/reports/junitTree.ts";
import { mergeReports } from "./rules/reports/mergeReports.ts";
import type { TestReport } from "./rules/reports/testReport.ts";

const declaration = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']/;

/**
 * The text of an XML file, without its byte order mark, in the encoding that the file says it has (XML 1.0, appendix F):
 * by its byte order mark, else by how `<` is written, else by its declaration, else UTF-8. Bytes that the encoding does not
 * have become U+FFFD: one wrong character of a message does not cost a report.
 * @throws Error for an unknown encoding
 */
function decodeXml(bytes: Buffer): string {
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

/** Characters that XML does not have, as they are or by their numbers: terminals' colours in a message, for example. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const notInXml = /[\0-\x08\x0b\x0c\x0e-\x1f]|&#(?:x0*(?:[0-8bcef]|1[0-9a-f])|0*(?:[0-8]|1[124-9]|2\d|3[01]));/gi;

/**
 * What one JUnit file reports (contract W 13.4), in the encoding that it declares. It is checked to be XML to its last
 * character; entities that it defines itself are not expanded, and no other file is read.
 * @throws Error that says what is wrong and where, for what is no XML: empty or cut off, for example
 */
export function readJunit(bytes: Buffer): TestReport {
  const tree = new JunitTree();
  const parser = new SaxesParser<{ xmlns?: false }>();
  parser.on("opentag", ({ name, attributes }) => tree.open({ name: localName(name), attributes }));
  parser.on("text", (text) => tree.text(text));
  parser.on("cdata", (text) => tree.text(text));
  parser.on("closetag", () => tree.close());
  parser.write(decodeXml(bytes).trimStart().replace(notInXml, "\ufffd")).close();
  return tree.report();
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

const maxBytes = 64 * 1024 * 1024;

/**
 * Merges the JUnit files that a job brought out as a packed archive in base64.
 * @throws Error naming the file that is no JUnit XML
 */
export function readReport(lines: readonly string[]): TestReport {
  const archive = gunzipSync(Buffer.from(lines.join(""), "base64"), { maxOutputLength: maxBytes });
  const files = [...readTar(archive)].sort((a, b) => (a.name < b.name ? -1 : 1));
  return mergeReports(
    files.map(({ name, content }) => {
      try {
        return readJunit(content);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`${name.replace(/^\.\//, "")} is not JUnit XML: ${reason}`, { cause: error });
      }
    }),
  );
}

const blockBytes = 512;

/** The regular files of a tar archive; links, folders and other entries are left out. @throws Error for no archive */
function* readTar(archive: Buffer): Generator<{ name: string; content: Buffer }> {
  for (let at = 0; at + blockBytes <= archive.length; ) {
    const header = archive.subarray(at, at + blockBytes);
    if (header.every((byte) => byte === 0)) return;
    const sizeBytes = Number.parseInt(header.toString("latin1", 124, 136).replace(/\0.*$/, "").trim(), 8);
    if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0) throw new Error("the archive of the report is broken");
    const from = at + blockBytes;
    const type = header.toString("latin1", 156, 157);
    if (type === "0" || type === "\0")
      yield {
        name: header.toString("utf8", 0, 100).replace(/\0.*$/s, ""),
        content: archive.subarray(from, from + sizeBytes),
      };
    at = from + Math.ceil(sizeBytes / blockBytes) * blockBytes;
  }
}
