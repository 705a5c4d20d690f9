import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { build } from "vite";

/**
 * Builds the console into `dist`, with a compressed copy beside each file that text compresses. The folder appears whole:
 * it is built beside and put in place at the end, so that whoever serves it never sees half of one.
 */
const root = import.meta.dirname;
const built = join(root, `dist.${process.pid}`);
const replaced = `${built}.replaced`;
const place = join(root, "dist");

// Vite takes React's slow build for development wherever this says anything else, as it does in tests.
process.env.NODE_ENV = "production";

try {
  await build({
    root,
    // The address of the console is known where it is served: files find each other from where they stand.
    base: "./",
    configFile: false,
    logLevel: "error",
    build: {
      outDir: built,
      emptyOutDir: true,
      target: "es2024",
      // One style sheet by a link and no inline script: the content security policy allows neither otherwise.
      cssCodeSplit: false,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  });
  for (const name of readdirSync(join(built, "assets"))) {
    const file = join(built, "assets", name);
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file), { params }));
  }
  try {
    renameSync(place, replaced);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  renameSync(built, place);
} finally {
  for (const folder of [built, replaced]) rmSync(folder, { recursive: true, force: true });
}
