import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

let built: Promise<string> | undefined;

/**
 * The program that is killed, as one file: it starts hundreds of times, and to load a thousand modules takes longer than
 * all that it does until it is killed.
 * @returns the path of the file, which is made once a process
 */
export function bundledChild(): Promise<string> {
  built ??= bundle(join(tmpdir(), `slipway-crash-child-${process.pid}.mjs`));
  return built;
}

async function bundle(outfile: string): Promise<string> {
  await build({
    entryPoints: [fileURLToPath(new URL("./child.ts", import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    plugins: [ownAddresses],
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
    logLevel: "error",
  });
  return outfile;
}

/** Modules find the files beside them where they were before. */
const ownAddresses: Plugin = {
  name: "own addresses",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (path.includes("node_modules")) return undefined;
      const own: Record<string, unknown> = {
        ...{ url: pathToFileURL(path).href, dirname: dirname(path), filename: path, main: false },
      };
      const text = await readFile(path, "utf8");
      return {
        loader: "ts",
        contents: text.replaceAll(/\bimport\.meta\.(\w+)/g, (_, name: string) => JSON.stringify(own[name])),
      };
    });
  },
};
