import { createHash } from "node:crypto";
import { nowSeconds } from "../../../base/store/ids.ts";
import { keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { overwrite, remove } from "../../../base/store/writes.ts";
import type { UploadNotes } from "./uploadNotes.ts";

/** Registries forget uploads that are not continued. */
const keptSeconds = 24 * 3600;

/**
 * Where uploads of large blobs continue, for every process that copies under this id. A note that is lost costs the
 * blob's transfer once more, nothing else.
 */
export function uploadNotesOf(ownerId: string): UploadNotes {
  const keyOf = (blob: string) =>
    keys.imageUpload(ownerId, createHash("sha256").update(blob).digest("hex").slice(0, 32));
  return {
    find: async (blob) => (await table().get<{ place: string }>(keyOf(blob)))?.place,
    note: async (blob, place) => {
      const ttl = nowSeconds() + keptSeconds;
      const item = { ...keyOf(blob), type: "image-upload", place: place ?? "", ttl };
      await table().write(place === undefined ? remove(keyOf(blob)) : overwrite(item));
    },
  };
}
