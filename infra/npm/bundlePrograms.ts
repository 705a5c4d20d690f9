import { readFile } from "node:fs/promises";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";

/** Programs that others start by their files, which are named `.ts` in the source. */
const siblings: Plugin = {
  name: "siblings",
  setup: ({ onLoad }) => {
    onLoad({ filter: /infra[\\/]local[\\/](workers|cluster[\\/]pods[\\/]processRunner)\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      return { contents: source.replaceAll(/(new URL\("\.\/\w+)\.ts"/g, '$1.js"'), loader: "ts" };
    });
  },
};

/** It is asked for where traces are collected, as a package that may be missing; here it is part of the bundle. */
const tracing: Plugin = {
  name: "tracing",
  setup: ({ onLoad }) => {
    onLoad({ filter: /shared[\\/]base[\\/]tracing[\\/]openTelemetry\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      return { contents: source.replace("createRequire(import.meta.url)(", "require("), loader: "ts" };
    });
  },
};

const common = {
  bundle: true,
  platform: "node",
  target: "node22",
  format: "esm",
  minify: true,
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
  mainFields: ["module", "main"],
  plugins: [siblings, tracing],
  // Packages in CommonJS ask for modules of Node.js by it.
  banner: { js: 'import{createRequire as requireFrom}from"node:module";const require=requireFrom(import.meta.url);' },
} as const satisfies BuildOptions;

/**
 * Bundles the programs of the npm package into `outdir`, all files beside each other: a module finds its data files and the
 * programs that it starts beside itself.
 * @param root folder of the repository
 * @returns what esbuild read
 */
export async function bundlePrograms(root: string, outdir: string): Promise<Metafile["inputs"]> {
  const options = { ...common, absWorkingDir: root, outdir };
  const commandLine = await build({ ...options, entryPoints: { slipway: "clients/cli/main.ts" }, splitting: true });
  // Each is one file, so that one that runs needs no file of a version that an update has replaced.
  const programs = await build({
    ...options,
    entryPoints: { local: "infra/local/main.ts", watcherThread: "infra/local/watcherThread.ts" },
    // The document is made here, and read from its file.
    external: ["*/declaredDocument.ts"],
    define: { "import.meta.main": "false" },
  });
  // Node.js 22 cannot tell whether a module is its main one.
  const shim = await build({
    ...options,
    entryPoints: { shim: "infra/local/cluster/pods/shim.ts" },
    define: { "import.meta.main": "true" },
  });
  return { ...commandLine.metafile.inputs, ...programs.metafile.inputs, ...shim.metafile.inputs };
}
