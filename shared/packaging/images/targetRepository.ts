import { type EcrRepositories, openEcrRepositories } from "./ecrRepositories.ts";
import type { RegistryLine } from "./registryLine.ts";
import type { Descriptor } from "./rules/manifest.ts";
import { inSlot } from "./slots.ts";

/** A repository that images are copied to, and what is known of it. */
export interface TargetRepository {
  line: RegistryLine;
  repository: string;
  /** Digests of blobs and manifests that are known to be there. */
  has: Set<string>;
  /** Digests of blobs that are known not to be there. */
  lacks: Set<string>;
  /** See `BlobTarget`; of the whole registry. */
  takesWhole: { known?: boolean };
  /** Whether there was nothing in it when it was first asked: then no blob has to be looked for. */
  isEmpty(): Promise<boolean>;
  /** Where the registry tells about many blobs at once it is asked for these; it makes the repository if it must be made. */
  lookFor(blobs: readonly Descriptor[]): Promise<void>;
  /** There is or may be something in it. */
  isInUse(): void;
}

const ecrs = new WeakMap<RegistryLine, Promise<EcrRepositories>>();

function ecrOf(line: RegistryLine): Promise<EcrRepositories> | undefined {
  const { ecr, address } = line.access;
  if (ecr === undefined) return undefined;
  const open = ecrs.get(line) ?? ecr().then((target) => openEcrRepositories(address, target));
  ecrs.set(line, open);
  // A failure is not kept: the next image asks again.
  open.catch(() => ecrs.delete(line));
  return open;
}

const wholes = new WeakMap<RegistryLine, { known?: boolean }>();

export function openTarget(line: RegistryLine, repository: string): TargetRepository {
  const takesWhole = wholes.get(line) ?? {};
  wholes.set(line, takesWhole);
  let empty: Promise<boolean> | undefined;
  const has = new Set<string>();
  const lacks = new Set<string>();
  return {
    line,
    repository,
    has,
    lacks,
    takesWhole,
    isEmpty: () => {
      if (empty === undefined) {
        empty = hasNoTags(line, repository);
        // A failure is not kept: the next image asks again.
        empty.catch(() => {
          empty = undefined;
        });
      }
      return empty;
    },
    lookFor: async (blobs) => {
      const ecr = await ecrOf(line);
      const unknown = blobs.map(({ digest }) => digest).filter((digest) => !has.has(digest));
      if (ecr === undefined || unknown.length === 0) return;
      const found = await inSlot(line, () => ecr.findBlobs(repository, unknown));
      for (const digest of unknown) (found.has(digest) ? has : lacks).add(digest);
    },
    isInUse: () => {
      empty = Promise.resolve(false);
    },
  };
}

/** A repository that was never written to is not known (404); one that refuses to list its tags may hold anything. */
async function hasNoTags(line: RegistryLine, repository: string): Promise<boolean> {
  const request = { method: "GET", repository, to: "tags/list?n=1", writes: true, about: "its tags" } as const;
  const answer = await inSlot(line, () => line.send(request));
  answer.resume();
  return answer.statusCode === 404;
}
