import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where they lie. */
export const podinfoFolder = fileURLToPath(new URL("../../examples/podinfo/", import.meta.url));

/** The files of a chart as people write them, by path. */
export const podinfo = (): Record<string, Buffer> =>
  Object.fromEntries(
    readdirSync(podinfoFolder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(podinfoFolder.length), readFileSync(path)]),
  );
