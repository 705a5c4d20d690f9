import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const folder = join(import.meta.dirname, "../../fixtures/charts");

/** The charts of the corpus: each has a shape of what people install. */
export const chartNames: readonly string[] = readdirSync(folder).sort();

/** The files of a chart by path; `suffix` makes the kinds that it defines distinct. */
export function chartFilesOf(name: string, suffix: string): Record<string, string> {
  const at = join(folder, name);
  const paths = readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith("/ci"))
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    paths.map((path) => [relative(at, path), readFileSync(path, "utf8").replaceAll("SUFFIX", suffix)]),
  );
}

/** What `helm` is given with `--values` for a step, from the folder where chart testing looks; nothing where there is none. */
export function chartValuesOf(name: string, step: "install" | "upgrade" | "refused"): string | undefined {
  const path = join(folder, name, "ci", `${step}-values.yaml`);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
