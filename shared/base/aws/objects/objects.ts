import type { Readable } from "node:stream";
import { adapters, type StoredObject } from "../adapters.ts";

/** Stores an object; one of the same key is replaced as a whole. */
export async function putObject(object: StoredObject): Promise<void> {
  await (adapters()?.objects.put(object) ?? (await import("./objectsInAws.ts")).put(object));
}

/** The content of an object as it was stored; undefined when there is none. */
export async function openObject(key: string): Promise<Readable | undefined> {
  return adapters()?.objects.open(key) ?? (await import("./objectsInAws.ts")).open(key);
}
