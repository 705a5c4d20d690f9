import { adapters } from "../adapters.ts";
import { listObjects } from "./listObjects.ts";

/** Takes all objects below a prefix away, a thousand at a time; what is left after a crash is taken by a repetition. */
export async function removeObjectsBelow(prefix: string): Promise<number> {
  let removed = 0;
  for (;;) {
    const keys = (await listObjects(prefix)).map(({ key }) => key);
    if (keys.length === 0) return removed;
    await (adapters()?.objects.remove(keys) ?? (await import("./objectsInAws.ts")).remove(keys));
    removed += keys.length;
  }
}
