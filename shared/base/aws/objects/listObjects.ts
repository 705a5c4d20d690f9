import { adapters } from "../adapters.ts";

/** The first thousand objects below a prefix, in the order of their keys. */
export async function listObjects(prefix: string): Promise<{ key: string; sizeBytes: number }[]> {
  return adapters()?.objects.list(prefix) ?? (await import("./objectsInAws.ts")).list(prefix);
}
