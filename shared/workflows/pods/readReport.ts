import { gunzipSync } from "node:zlib";
import { parseJunit } from "./parseJunit.ts";
import { readTar } from "./readTar.ts";
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
    files.flatMap(({ name, content }) => {
      try {
        return parseJunit(content.toString("utf8"));
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`${name.replace(/^\.\//, "")} is no JUnit XML: ${reason}`, { cause: error });
      }
    }),
  );
}
