import { digestOf } from "../digestOf.ts";
import { askReferrers, entriesUnder, fallbackTag } from "../listReferrers.ts";
import type { Passage, Placer } from "../placeImage.ts";
import type { BlobSource } from "../readBlob.ts";
import { headManifest, writeManifest } from "../readManifest.ts";
import { readTags } from "../readTags.ts";
import { type Descriptor, ociIndex } from "../rules/manifest.ts";
import { settled } from "../settled.ts";
import { inSlot } from "../slots.ts";
import { manifestOf, treeOf } from "../sourceImage.ts";
import type { ImageTree } from "./imageTree.ts";

export interface ReferrerCopier {
  /** Copies signatures, attestations and SBOMs of images that are in the target: what refers to them, and to that again. */
  copyReferrers(passage: Passage, subjects: readonly string[]): Promise<void>;
}

/** Signatures of signatures end somewhere. */
const maxDepth = 3;

/** Where signatures were before registries knew referrers. */
const suffixes = [".sig", ".att", ".sbom"];

export function openReferrerCopier({ place }: Placer): ReferrerCopier {
  /** All tags of a source, where one answer names them all. */
  const tags = new Map<string, Promise<Set<string> | undefined>>();
  /** An index under a fallback tag is read, added to and written by one at a time. */
  const merges = new Map<string, Promise<void>>();

  /** Registries that have no interface for referrers are not asked again. */
  const without = new Set<string>();

  async function ask(source: BlobSource, subject: string, writes = false): Promise<Descriptor[] | undefined> {
    const { id } = source.line.access;
    if (without.has(id)) return undefined;
    const found = await inSlot(source.line, () => askReferrers(source, subject, writes));
    if (found === undefined) without.add(id);
    return found;
  }

  async function hasTag(source: BlobSource, tag: string): Promise<boolean> {
    const key = `${source.line.access.id} ${source.repository}`;
    const listed = tags.get(key) ?? allTags(source);
    tags.set(key, listed);
    // A failure is not kept: the next image asks again.
    listed.catch(() => tags.delete(key));
    const known = await listed;
    if (known !== undefined) return known.has(tag);
    return (
      (await inSlot(source.line, () => headManifest({ ...source, reference: tag }, { writes: false }))) !== undefined
    );
  }

  async function copySubject(passage: Passage, subject: string, depth: number): Promise<void> {
    const { source } = passage;
    const base = fallbackTag(subject);
    await settled([
      () => copyListed(passage, subject, depth),
      ...suffixes.map((suffix) => async () => {
        const tag = `${base}${suffix}`;
        if (await hasTag(source, tag)) await copyTag(passage, tag);
      }),
    ]);
  }

  async function copyTag(passage: Passage, tag: string): Promise<void> {
    const { source, target } = passage;
    const [image, stands] = await Promise.all([
      manifestOf(source, tag),
      inSlot(target.line, () => headManifest({ ...target, reference: tag })),
    ]);
    if (stands !== image.digest) await place(passage, await treeOf(source, tag, image), tag);
  }

  /** Copies what the source lists as referring to a manifest, by its interface or under the fallback tag. */
  async function copyListed(passage: Passage, subject: string, depth: number): Promise<void> {
    const { source, target } = passage;
    const fallback = fallbackTag(subject);
    const listed = await ask(source, subject);
    const referrers = listed ?? ((await hasTag(source, fallback)) ? await entriesUnder(source, fallback) : []);
    if (referrers.length === 0) return;
    const standing = await ask(target, subject, true);
    const there = new Set((standing ?? (await entriesUnder(target, fallback))).map(({ digest }) => digest));
    await settled(
      referrers
        .filter(({ digest }) => !there.has(digest))
        .map(({ digest }) => async () => {
          await place(passage, await treeOf(source, digest, await manifestOf(source, digest)), digest);
        }),
    );
    if (standing === undefined) await addUnder(passage, fallback, referrers);
    if (depth < maxDepth)
      await settled(
        referrers.map(
          ({ digest }) =>
            () =>
              copySubject(passage, digest, depth + 1),
        ),
      );
  }

  /** Adds entries to the index under a fallback tag of the target; what is there stays. */
  function addUnder({ target, tally }: Passage, tag: string, referrers: readonly Descriptor[]): Promise<void> {
    const key = `${target.line.access.id} ${target.repository} ${tag}`;
    const merge = async () => {
      const stands = await entriesUnder(target, tag);
      const missing = referrers.filter(({ digest }) => stands.every((one) => one.digest !== digest));
      if (missing.length === 0) return;
      const index = { schemaVersion: 2, mediaType: ociIndex, manifests: [...stands, ...missing] };
      const bytes = Buffer.from(JSON.stringify(index));
      const written = { mediaType: ociIndex, bytes, digest: digestOf(bytes) };
      await inSlot(target.line, () => writeManifest({ ...target, reference: tag }, written));
      tally.sent(bytes.length);
    };
    const mine = (merges.get(key) ?? Promise.resolve()).then(merge, merge);
    merges.set(key, mine);
    return mine;
  }

  return {
    copyReferrers: async (passage, [first = "", ...others]) => {
      await copySubject(passage, first, 1);
      await settled(others.map((subject) => () => copySubject(passage, subject, 1)));
    },
  };
}

/** Of an image and all images below it. */
export const digestsOf = ({ manifest, children }: ImageTree): string[] => [
  manifest.digest,
  ...children.flatMap(digestsOf),
];

/** @returns undefined when one answer does not name all tags */
async function allTags(source: BlobSource): Promise<Set<string> | undefined> {
  const page = await inSlot(source.line, () => readTags(source));
  return "problem" in page || page.next !== undefined ? undefined : new Set(page.tags);
}
