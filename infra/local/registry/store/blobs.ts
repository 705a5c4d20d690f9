import { stat } from "node:fs/promises";
import type { Digest } from "../digest.ts";
import { absentIs, moveDurably, removeDurably, writeDurably } from "./durableFile.ts";
import type { Layout } from "./layout.ts";

/** The blobs of repositories. */
export type Blobs = ReturnType<typeof createBlobs>;

export function createBlobs(layout: Layout) {
  /** Makes existing content part of a repository. */
  const link = (repository: string, digest: Digest) =>
    writeDurably(layout.newTemporary(), layout.blob(repository, digest), "");

  return {
    /** The blob's size and file, undefined when the repository does not hold it. */
    async find(repository: string, digest: Digest): Promise<{ sizeBytes: number; path: string } | undefined> {
      if (!(await absentIs(undefined, stat(layout.blob(repository, digest))))) return undefined;
      const path = layout.content(digest);
      const content = await absentIs(undefined, stat(path));
      return content && { sizeBytes: content.size, path };
    },

    /** Takes over a file whose digest was checked. Two that bring the same blob at once both succeed. */
    async adopt(repository: string, digest: Digest, file: string): Promise<void> {
      await moveDurably(file, layout.content(digest));
      await link(repository, digest);
    },

    /** Lets a repository hold a blob that another one holds; false when that one does not. */
    async mount(repository: string, digest: Digest, from: string): Promise<boolean> {
      if (!(await this.find(from, digest))) return false;
      await link(repository, digest);
      return true;
    },

    /** Takes the blob from this repository; its bytes go at the next start if no other one holds them. */
    remove: (repository: string, digest: Digest): Promise<boolean> => removeDurably(layout.blob(repository, digest)),
  };
}
