import { gunzipSync } from "node:zlib";
import { readJunit } from "./readJunit.ts";
import { mergeReports } from "./rules/mergeReports.ts";
import type { TestReport } from "./rules/testReport.ts";

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
