import { join } from "node:path";
import { type BuildOptions, buildSync, type Metafile } from "esbuild";

/** The repository; entries are named from here. */
export const root = join(import.meta.dirname, "../../..");

/** How every function is bundled: one minified ES module, from ES module builds where a library has one. */
export const bundleOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node24",
  format: "esm",
  mainFields: ["module", "main"],
  minify: true,
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
} as const satisfies BuildOptions;

/** Bundles `entry` (from the root of the repository) to `index.mjs` in `directory`. */
export function bundle(entry: string, directory: string): Metafile {
  return buildSync({ ...bundleOptions, entryPoints: [entry], outfile: join(directory, "index.mjs") }).metafile;
}
