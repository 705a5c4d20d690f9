import type { CodeHostProvider } from "./provider.ts";

/** Any server that Git clones from. */
export const other = {} satisfies CodeHostProvider;
