import type { CodeHostProvider } from "./provider.ts";

export const gerrit = {
  /** Gerrit knows projects by one name alone. */
  clonePath: ({ name }) => name,
  pages: { pullRequest: ({ address }, number) => `${address}/${number}` },
  chartSources: ["gerrit"],
} satisfies CodeHostProvider;
