import { randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import type { Readable } from "node:stream";
import { isStorageFull } from "../../../../shared/base/errors/storageFull.ts";
import { type Digest, digestOfFile } from "../digest.ts";
import type { Limits } from "../limits.ts";
import { RegistryError } from "../registryError.ts";
import type { Blobs } from "./blobs.ts";
import { createKeyedLock } from "./keyedLock.ts";
import type { Layout } from "./layout.ts";

/** A blob on its way in; it does not outlive the process, clients then start again. */
export type Upload = { id: string; repository: string; path: string; sizeBytes: number };

/**
 * A piece of a blob. What the client says of it is checked when it is given: its place (both ends inclusive) against
 * what there is and what arrives, its length against the limit before anything is written.
 */
export type Chunk = { body: Readable; lengthBytes?: number; range?: { start: number; end: number } };

/** The uploads of a running registry; what is done to one upload is done one after another. */
export type Uploads = ReturnType<typeof createUploads>;

export function createUploads(layout: Layout, blobs: Blobs, limits: Limits) {
  const uploads = new Map<string, Upload & { touchedAt: number; busy: boolean }>();
  const locked = createKeyedLock();

  /** Runs work on an upload that exists at its turn, else fails with BLOB_UPLOAD_UNKNOWN (404). */
  function use<T>(repository: string, id: string, work: (upload: Upload) => Promise<T>): Promise<T> {
    return locked(id, async () => {
      const upload = uploads.get(id);
      if (upload?.repository !== repository) {
        throw new RegistryError("BLOB_UPLOAD_UNKNOWN", "blob upload unknown to registry");
      }
      upload.busy = true;
      try {
        return await work(upload);
      } finally {
        upload.busy = false;
        upload.touchedAt = Date.now();
      }
    });
  }

  async function discard({ id, path }: Upload): Promise<void> {
    uploads.delete(id);
    await rm(path, { force: true });
  }

  async function append(upload: Upload, chunk: Chunk): Promise<void> {
    try {
      await appendChunk(upload, chunk, limits.blobBytes);
    } catch (error) {
      // What fills the disk makes room for what is there already.
      if ((error instanceof RegistryError && error.status === 413) || isStorageFull(error)) await discard(upload);
      throw error;
    }
  }

  return {
    async begin(repository: string): Promise<Upload> {
      const id = randomUUID();
      const upload = { id, repository, path: layout.newTemporary(), sizeBytes: 0, touchedAt: Date.now(), busy: false };
      await (await open(upload.path, "wx", 0o600)).close();
      uploads.set(id, upload);
      return upload;
    },

    /** Waits for a chunk that is being received, so that the size said is the size there is. */
    status: (repository: string, id: string): Promise<Upload> => use(repository, id, async (upload) => upload),

    append: (repository: string, id: string, chunk: Chunk): Promise<Upload> =>
      use(repository, id, async (upload) => {
        await append(upload, chunk);
        return upload;
      }),

    /** Appends the last piece and makes the blob part of the repository. Other content is DIGEST_INVALID (400). */
    complete: (repository: string, id: string, chunk: Chunk, digest: Digest): Promise<void> =>
      use(repository, id, async (upload) => {
        await append(upload, chunk);
        const actual = await digestOfFile(upload.path, digest.algorithm);
        if (actual.text !== digest.text) {
          await discard(upload);
          throw new RegistryError("DIGEST_INVALID", "provided digest did not match uploaded content", {
            details: [{ digest: digest.text, actual: actual.text }],
          });
        }
        await blobs.adopt(repository, digest, upload.path);
        uploads.delete(id);
      }),

    cancel: (repository: string, id: string): Promise<void> => use(repository, id, discard),

    /** Gives up the uploads that have not been used since `before` (milliseconds since 1970). */
    async discardIdle(before: number): Promise<void> {
      const idle = [...uploads.values()].filter((upload) => !upload.busy && upload.touchedAt < before);
      await Promise.all(idle.map(discard));
    },
  };
}

/** Writes what arrives behind what is there; the size stays true when the client or the disk fails half way. */
async function appendChunk(upload: Upload, chunk: Chunk, limitBytes: number): Promise<void> {
  const { body, lengthBytes = 0, range } = chunk;
  const before = upload.sizeBytes;
  if (range && range.start !== before) throw outOfOrder(upload);
  if (before + lengthBytes > limitBytes) throw tooLarge(limitBytes);
  const handle = await open(upload.path, "a");
  try {
    // Leaving the loop early must not destroy the request, whose connection still has to carry the refusal.
    for await (const piece of body.iterator({ destroyOnReturn: false })) {
      const bytes: Uint8Array = piece;
      if (upload.sizeBytes + bytes.length > limitBytes) throw tooLarge(limitBytes);
      await handle.appendFile(bytes);
      upload.sizeBytes += bytes.length;
    }
    const received = upload.sizeBytes - before;
    if (range && received !== range.end - range.start + 1) {
      await handle.truncate(before);
      throw new RegistryError("SIZE_INVALID", "Content-Range is not the length of the content");
    }
  } finally {
    upload.sizeBytes = (await handle.stat()).size;
    await handle.close();
  }
}

function tooLarge(limitBytes: number): RegistryError {
  return new RegistryError("SIZE_INVALID", `a blob has at most ${limitBytes} bytes`, { status: 413 });
}

/** A chunk that is not the next one; `Range` says how far the upload is (specification: 416). */
function outOfOrder(upload: Upload): RegistryError {
  return new RegistryError("BLOB_UPLOAD_INVALID", `the next chunk starts at ${upload.sizeBytes}`, {
    status: 416,
    headers: uploadHeaders(upload),
  });
}

/** The headers that say where to go on with an upload and how far it is. */
export function uploadHeaders({ id, repository, sizeBytes }: Upload): Record<string, string> {
  return {
    location: `/v2/${repository}/blobs/uploads/${id}`,
    // The header cannot say "nothing yet"; registries and clients use 0-0 for it.
    range: `0-${Math.max(0, sizeBytes - 1)}`,
    "docker-upload-uuid": id,
  };
}
