import type { Limits } from "../limits.ts";
import { type Blobs, createBlobs } from "./blobs.ts";
import { createLayout } from "./layout.ts";
import { createManifests, type Manifests } from "./manifests.ts";
import { listRepositories } from "./repositories.ts";
import { sweep } from "./sweep.ts";
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
