import { mkdir, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { namesIn } from "./durableFile.ts";
import type { Layout } from "./layout.ts";
import { listRepositoryFolders } from "./repositories.ts";

/**
 * Tidies the data folder before it is used: removes what an earlier process left unfinished, and content that no
 * repository holds now. Only safe while nothing else works in the folder. Returns how many files went.
 */
export async function sweep(layout: Layout): Promise<{ unfinished: number; unheld: number }> {
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
