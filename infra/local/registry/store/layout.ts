import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Digest } from "../digest.ts";

/**
 * Where things lie in the data folder. Content is kept once for all repositories; a repository holds what it links to.
 * No component of a repository name starts with `_`, so `team/_tags` can only be the tags of `team`.
 */
export type Layout = ReturnType<typeof createLayout>;

export function createLayout(dataDir: string) {
  const contents = join(dataDir, "contents");
  const repositories = join(dataDir, "repositories");
  const temporary = join(dataDir, "temporary");
  const inRepository = (repository: string, ...rest: string[]) => join(repositories, ...repository.split("/"), ...rest);
  return {
    contents,
    repositories,
    temporary,
    content: ({ algorithm, hex }: Digest) => join(contents, algorithm, hex.slice(0, 2), hex),
    newTemporary: () => join(temporary, randomUUID()),
    blobs: (repository: string) => inRepository(repository, "_blobs"),
    blob: (repository: string, { algorithm, hex }: Digest) => inRepository(repository, "_blobs", algorithm, hex),
    manifests: (repository: string) => inRepository(repository, "_manifests"),
    manifest: (repository: string, { algorithm, hex }: Digest) =>
      inRepository(repository, "_manifests", algorithm, hex),
    tags: (repository: string) => inRepository(repository, "_tags"),
    tag: (repository: string, tag: string) => inRepository(repository, "_tags", tag),
    referrers: (repository: string, subject: Digest) =>
      inRepository(repository, "_referrers", subject.algorithm, subject.hex),
    referrer: (repository: string, subject: Digest, { algorithm, hex }: Digest) =>
      inRepository(repository, "_referrers", subject.algorithm, subject.hex, `${algorithm}-${hex}`),
  };
}
