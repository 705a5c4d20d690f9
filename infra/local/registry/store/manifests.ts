import * as z from "zod";
import { type Digest, parseDigest } from "../digest.ts";
import type { ManifestDocument } from "../manifestDocument.ts";
import { namesIn, readIfPresent, removeDurably, writeDurably } from "./durableFile.ts";
import { createKeyedLock } from "./keyedLock.ts";
import type { Layout } from "./layout.ts";

const record = z.object({ mediaType: z.string(), subject: z.string().optional() });

const referrer = z.object({
  mediaType: z.string(),
  digest: z.string(),
  size: z.number(),
  artifactType: z.string().optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});

/** A descriptor in the answer of the referrers endpoint. */
export type Referrer = z.infer<typeof referrer>;

/** The manifests, tags and referrers of repositories. */
export type Manifests = ReturnType<typeof createManifests>;

export function createManifests(layout: Layout) {
  const locked = createKeyedLock();
  const write = (target: string, content: string | Uint8Array) => writeDurably(layout.newTemporary(), target, content);

  async function resolveTag(repository: string, tag: string): Promise<Digest | undefined> {
    const text = await readIfPresent(layout.tag(repository, tag));
    return text && parseDigest(text.toString());
  }

  async function readRecord(repository: string, digest: Digest) {
    const text = await readIfPresent(layout.manifest(repository, digest));
    return text && record.parse(JSON.parse(text.toString()));
  }

  return {
    resolveTag,

    /** The exact bytes that were pushed and their media type. */
    async find(repository: string, digest: Digest): Promise<{ mediaType: string; bytes: Buffer } | undefined> {
      const [found, bytes] = await Promise.all([readRecord(repository, digest), readIfPresent(layout.content(digest))]);
      return found && bytes && { mediaType: found.mediaType, bytes };
    },

    async has(repository: string, digest: Digest): Promise<boolean> {
      return (await readRecord(repository, digest)) !== undefined;
    },

    /** Stores a manifest whose digest was checked; the tag comes last, so that it never names what is not there. */
    put: (repository: string, digest: Digest, bytes: Buffer, document: ManifestDocument, tag?: string): Promise<void> =>
      locked(repository, async () => {
        const { mediaType, subject, artifactType, annotations } = document;
        await write(layout.content(digest), bytes);
        await write(layout.manifest(repository, digest), JSON.stringify({ mediaType, subject: subject?.text }));
        if (subject) {
          const descriptor = { mediaType, digest: digest.text, size: bytes.length, artifactType, annotations };
          await write(layout.referrer(repository, subject, digest), JSON.stringify(descriptor));
        }
        if (tag !== undefined) await write(layout.tag(repository, tag), digest.text);
      }),

    /** Removes a manifest with its tags and its place among referrers; false when there was none. */
    remove: (repository: string, digest: Digest): Promise<boolean> =>
      locked(repository, async () => {
        const found = await readRecord(repository, digest);
        if (!found) return false;
        for (const tag of await namesIn(layout.tags(repository))) {
          if ((await resolveTag(repository, tag))?.text === digest.text)
            await removeDurably(layout.tag(repository, tag));
        }
        const subject = parseDigest(found.subject ?? "");
        if (subject) await removeDurably(layout.referrer(repository, subject, digest));
        return removeDurably(layout.manifest(repository, digest));
      }),

    removeTag: (repository: string, tag: string): Promise<boolean> =>
      locked(repository, () => removeDurably(layout.tag(repository, tag))),

    /** The repository's tags in no order, undefined when nothing was ever pushed to it. */
    async tags(repository: string): Promise<string[] | undefined> {
      const known = (await namesIn(layout.manifests(repository))).length > 0;
      return known ? namesIn(layout.tags(repository)) : undefined;
    },

    /** The manifests of the repository whose subject is the given one, by digest. */
    async referrers(repository: string, subject: Digest): Promise<Referrer[]> {
      const directory = layout.referrers(repository, subject);
      const texts = await Promise.all(
        (await namesIn(directory)).toSorted().map((name) => readIfPresent(`${directory}/${name}`)),
      );
      return texts.flatMap((text) => (text ? [referrer.parse(JSON.parse(text.toString()))] : []));
    },
  };
}
