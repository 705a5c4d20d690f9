import { copyBlob, hasBlob, mountBlob, type UploadOptions } from "./copy/copyBlob.ts";
import type { ImageTree } from "./copy/imageTree.ts";
import { blobBytes } from "./copy/imageTree.ts";
import type { BlobSource } from "./readBlob.ts";
import { headManifest, writeManifest } from "./readManifest.ts";
import type { Descriptor } from "./rules/manifest.ts";
import { settled } from "./settled.ts";
import { inBoth, inSlot } from "./slots.ts";
import type { TargetRepository } from "./targetRepository.ts";

/** How far the copy of an image is. */
export interface Tally {
  /** The target has so many bytes more, sent by us or not. */
  confirmed(bytes: number): void;
  /** So many bytes were sent. */
  sent(bytes: number): void;
}

/** From where to where one image goes. */
export interface Passage {
  source: BlobSource;
  target: TargetRepository;
  tally: Tally;
}

/** Puts the manifests of images and what they name into targets. */
export interface Placer {
  /** All that a manifest names first, then the manifest itself under a tag or its digest. */
  place(passage: Passage, tree: ImageTree, reference: string): Promise<void>;
}

export function openPlacer(options: Omit<UploadOptions, "confirmed" | "wasThere">): Placer {
  /** A repository of each registry that has a blob, to mount it from; by registry and digest. */
  const holders = new Map<string, string>();
  /** A blob goes to a registry once at a time; who wants it elsewhere in there waits and mounts it. */
  const underway = new Map<string, Promise<void>>();

  function inTurn(key: string, work: () => Promise<void>): Promise<void> {
    const mine = (underway.get(key) ?? Promise.resolve()).then(work, work);
    underway.set(key, mine);
    return mine;
  }

  async function place(passage: Passage, tree: ImageTree, reference: string): Promise<void> {
    const { manifest, children } = tree;
    const { target, tally } = passage;
    if (manifest.blobs.length > 0) await target.lookFor(manifest.blobs);
    await settled([
      ...manifest.blobs.map((blob) => () => placeBlob(passage, blob)),
      ...children.map((child) => () => placeChild(passage, child)),
    ]);
    await inSlot(target.line, () => writeManifest({ ...target, reference }, manifest));
    target.has.add(manifest.digest);
    tally.sent(manifest.bytes.length);
  }

  async function placeChild(passage: Passage, tree: ImageTree): Promise<void> {
    const { target, tally } = passage;
    const { digest } = tree.manifest;
    const isThere =
      target.has.has(digest) ||
      (!(await target.isEmpty()) &&
        (await inSlot(target.line, () => headManifest({ ...target, reference: digest }))) !== undefined);
    if (isThere) tally.confirmed(blobBytes(tree));
    else await place(passage, tree, digest);
  }

  function placeBlob(passage: Passage, blob: Descriptor): Promise<void> {
    const { source, target, tally } = passage;
    const key = `${target.line.access.id} ${blob.digest}`;
    return inTurn(key, async () => {
      if (!target.has.has(blob.digest)) {
        const from = holders.get(key) ?? (source.line === target.line ? source.repository : undefined);
        const began = await find(target, blob, from);
        if (began !== "there") {
          const confirmed = (bytes: number) => {
            tally.sent(bytes);
            tally.confirmed(bytes);
          };
          const upload = began === "missing" ? undefined : began;
          await inBoth(source.line, target.line, async () => {
            options.pausing?.throwIfAborted();
            await copyBlob(source, target, blob, { ...options, confirmed, wasThere: tally.confirmed }, upload);
          });
          target.has.add(blob.digest);
          holders.set(key, target.repository);
          return;
        }
      }
      target.has.add(blob.digest);
      holders.set(key, target.repository);
      tally.confirmed(blob.size);
    });
  }

  return { place };
}

/** Whether a blob is in the target, by a mount where it can be; or the upload that began in the mount's place. */
async function find(
  target: TargetRepository,
  blob: Descriptor,
  from: string | undefined,
): Promise<"there" | "missing" | URL> {
  if (from === target.repository) return "there";
  const mounted = from === undefined ? false : await inSlot(target.line, () => mountBlob(target, blob, from));
  if (mounted === true) return "there";
  if (target.lacks.has(blob.digest)) return mounted === false ? "missing" : mounted;
  if (!(await target.isEmpty()) && (await inSlot(target.line, () => hasBlob(target, blob)))) return "there";
  return mounted === false ? "missing" : mounted;
}
