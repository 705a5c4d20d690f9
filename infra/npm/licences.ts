import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A package whose code is in the bundles. */
export interface BundledPackage {
  name: string;
  version: string;
  licence: string;
  /** From the root of the repository. */
  folder: string;
}

/** @param files from the root of the repository */
export function packagesOf(root: string, files: readonly string[]): BundledPackage[] {
  const folders = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []));
  return [...folders].sort().map((folder) => {
    const about = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    return { name: about.name, version: about.version, licence: about.license ?? "none", folder };
  });
}

/** The text of each licence, as most of them demand where their code is passed on. */
export function licenceTexts(root: string, packages: readonly BundledPackage[]): string {
  const parts = packages.map(({ name, version, licence, folder }) => {
    const files = readdirSync(join(root, folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
    const texts = files.map((file) => readFileSync(join(root, folder, file), "utf8").trim());
    return [`${name} ${version} (${licence})`, ...texts].join("\n\n");
  });
  return `${parts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}
