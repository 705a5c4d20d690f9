import type { RegistryLine } from "./registryLine.ts";

/** A repository that images are copied to, and what is known of it. */
export interface TargetRepository {
  line: RegistryLine;
  repository: string;
  /** Digests of blobs and manifests that are known to be there. */
  has: Set<string>;
  /** See `BlobTarget`; of the whole registry. */
  takesWhole: { known?: boolean };
  /** Whether there was nothing in it when it was first asked: then no blob has to be looked for. */
  isEmpty(): Promise<boolean>;
  /** Something was found in it. */
  isInUse(): void;
}

const wholes = new WeakMap<RegistryLine, { known?: boolean }>();

export function openTarget(line: RegistryLine, repository: string): TargetRepository {
  const takesWhole = wholes.get(line) ?? {};
  wholes.set(line, takesWhole);
  let empty: Promise<boolean> | undefined;
  return {
    line,
    repository,
    has: new Set(),
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
    isInUse: () => {
      empty ??= Promise.resolve(false);
    },
  };
}

/** A repository that nobody wrote to yet is not known (404); one that refuses to list its tags may hold anything. */
async function hasNoTags(line: RegistryLine, repository: string): Promise<boolean> {
  const free = await line.slots.take(1);
  try {
    const request = { method: "GET", repository, to: "tags/list?n=1", writes: true, about: "its tags" } as const;
    const answer = await line.send(request);
    answer.resume();
    return answer.statusCode === 404;
  } finally {
    free();
  }
}
