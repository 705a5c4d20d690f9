import { mkdir, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Limits } from "../limits.ts";
import { type Blobs, createBlobs } from "./blobs.ts";
import { namesIn } from "./durableFile.ts";
import { createLayout, type Layout } from "./layout.ts";
import { createManifests, type Manifests } from "./manifests.ts";
import { createUploads, type Uploads } from "./uploads.ts";

/** Everything that a registry keeps in one data folder. */
export type Store = {
  blobs: Blobs;
  manifests: Manifests;
  uploads: Uploads;
  repositories(): Promise<string[]>;
};

/**
 * Opens the data folder (made when absent) and tidies it. One process at a time may have it open. Fails with the file
 * system's error when the folder cannot be written.
 */
export async function openStore(dataDir: string, limits: Limits, log: (line: string) => void): Promise<Store> {
  const layout = createLayout(dataDir);
  const { unfinished, unheld } = await sweep(layout);
  if (unfinished + unheld > 0) log(`removed ${unfinished} unfinished files and ${unheld} that no repository holds`);
  const blobs = createBlobs(layout);
  return {
    blobs,
    manifests: createManifests(layout),
    uploads: createUploads(layout, blobs, limits),
    repositories: () => listRepositories(layout),
  };
}

/**
 * Tidies the data folder before it is used: removes what an earlier process left unfinished, and content that no
 * repository holds now. Only safe while nothing else works in the folder. Returns how many files went.
 */
async function sweep(layout: Layout): Promise<{ unfinished: number; unheld: number }> {
  const unfinished = (await namesIn(layout.temporary)).length;
  await rm(layout.temporary, { recursive: true, force: true });
  await mkdir(layout.temporary, { recursive: true, mode: 0o700 });
  const held = await heldContents(layout);
  let unheld = 0;
  for (const algorithm of await namesIn(layout.contents)) {
    for (const prefix of await namesIn(join(layout.contents, algorithm))) {
      for (const hex of await namesIn(join(layout.contents, algorithm, prefix))) {
        if (held.has(`${algorithm}:${hex}`)) continue;
        await unlink(join(layout.contents, algorithm, prefix, hex));
        unheld += 1;
      }
    }
  }
  return { unfinished, unheld };
}

async function heldContents(layout: Layout): Promise<Set<string>> {
  const held = new Set<string>();
  for (const repository of await listRepositoryFolders(layout)) {
    for (const links of [layout.blobs(repository), layout.manifests(repository)]) {
      for (const algorithm of await namesIn(links)) {
        for (const hex of await namesIn(join(links, algorithm))) held.add(`${algorithm}:${hex}`);
      }
    }
  }
  return held;
}

/** The names of all repositories to which a manifest was ever pushed, in no order. */
function listRepositories(layout: Layout): Promise<string[]> {
  return walk(layout.repositories, "", (names) => names.includes("_manifests"));
}

/** The names of all folders of repositories, also of those that so far hold blobs only. */
function listRepositoryFolders(layout: Layout): Promise<string[]> {
  return walk(layout.repositories, "", (names) => names.some((name) => name.startsWith("_")));
}

async function walk(directory: string, name: string, counts: (names: string[]) => boolean): Promise<string[]> {
  const names = await namesIn(directory);
  const found = name !== "" && counts(names) ? [name] : [];
  for (const child of names.filter((each) => !each.startsWith("_"))) {
    found.push(...(await walk(join(directory, child), name === "" ? child : `${name}/${child}`, counts)));
  }
  return found;
}
