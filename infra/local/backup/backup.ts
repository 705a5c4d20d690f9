import { copyFileSync, existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { packTar, unpackTar } from "modern-tar/fs";
import { slipwayIn } from "../dataDir.ts";
import { copyDatabases } from "./copyDatabases.ts";
import { BackupUnreadable, readSealed, writeSealed } from "./sealedFile.ts";

/** A folder that cannot be saved or restored into; the message says what to do. */
export class BackupRefused extends Error {
  override readonly name = "BackupRefused";
}

/** In the order in which they are read: executions first, as each of their steps writes the table. */
const databases = [join("aws", "aws.sqlite"), join("sandbox", "objects.db"), "slipway.db"];

/** What a start makes again, or what says which process runs. */
const leftOut = /^(compiled|helm|format-2|first-start|slipway\.pid.*|.*\.log|log\.ndjson|backup-.*)$/;
const lockFile = join("aws", "held.sqlite");

/** Bodies of objects never change; one that goes while the backup is made may still be named by the table. */
const bodies = join("aws", "objects");

/**
 * Saves a data folder, of a Slipway that runs or of one that does not: the table, executions and schedules, texts and
 * objects, keys, the registry and the sandbox cluster.
 * @throws BackupRefused where there is nothing to save
 */
export async function backUp(dataDir: string, file: string, passphrase: string): Promise<void> {
  if (!existsSync(join(dataDir, "slipway.db")))
    throw new BackupRefused(`${dataDir} holds no data of Slipway: name its folder with --data`);
  const copy = mkdtempSync(join(dataDir, "backup-"));
  try {
    copyFiles(dataDir, copy, (path) => path.startsWith(bodies));
    mkdirSync(join(copy, "sandbox"), { recursive: true });
    copyDatabases(
      databases
        .filter((path) => existsSync(join(dataDir, path)))
        .map((path) => ({ from: join(dataDir, path), to: join(copy, path) })),
    );
    copyFiles(dataDir, copy, () => true);
    await writeSealed(file, passphrase, packTar(copy).compose(createGzip()));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/**
 * Makes a data folder of a backup. The folder appears when the seal was checked.
 * @throws BackupRefused when the folder holds something; BackupUnreadable
 */
export async function restore(file: string, dataDir: string, passphrase: string): Promise<void> {
  if (!existsSync(file)) throw new BackupRefused(`there is no file ${file}`);
  const running = slipwayIn(dataDir);
  if (running !== undefined)
    throw new BackupRefused(`a Slipway (process ${running.pid}) uses ${dataDir}: stop it first`);
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0)
    throw new BackupRefused(`${dataDir} is not empty: restore into another folder with --data, or move this one away`);
  const unpacked = `${dataDir}.restoring`;
  await rm(unpacked, { recursive: true, force: true });
  await mkdir(dirname(unpacked), { recursive: true });
  try {
    await readSealed(file, passphrase, (content) => pipeline(content, createGunzip(), unpackTar(unpacked)));
    if (!existsSync(join(unpacked, "slipway.db"))) throw new BackupUnreadable(`${file} holds no table`);
    await rm(dataDir, { recursive: true, force: true });
    await rename(unpacked, dataDir);
  } finally {
    await rm(unpacked, { recursive: true, force: true });
  }
}

/** Links or copies files that are not there yet; what goes meanwhile is left out. */
function copyFiles(dataDir: string, copy: string, isMeant: (path: string) => boolean): void {
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    const source = join(entry.parentPath, entry.name);
    const path = relative(dataDir, source);
    const [top = ""] = path.split(/[/\\]/);
    if (
      !entry.isFile() ||
      leftOut.test(top) ||
      [...databases, lockFile].some((name) => path.startsWith(name)) ||
      !isMeant(path)
    )
      continue;
    const target = join(copy, path);
    if (existsSync(target)) continue;
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    try {
      if (path.startsWith(bodies)) linkSync(source, target);
      else copyFileSync(source, target);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}
