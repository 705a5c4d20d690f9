import { createHash } from "node:crypto";
import type { UploadNotes } from "../images/uploadNotes.ts";
import { nowSeconds } from "../store/ids.ts";
import { keys } from "../store/keys.ts";
import { table } from "../store/theTable.ts";
import { overwrite, remove } from "../store/writes.ts";

/** Registries forget uploads that nobody goes on with. */
const keptSeconds = 24 * 3600;

/** Where uploads of a version's large blobs go on. A note that is lost costs the blob's transfer once more, nothing else. */
export function uploadNotesOf(versionId: string): UploadNotes {
  const keyOf = (blob: string) =>
    keys.deliveryUpload(versionId, createHash("sha256").update(blob).digest("hex").slice(0, 32));
  return {
    find: async (blob) => (await table().get<{ place: string }>(keyOf(blob)))?.place,
    note: async (blob, place) => {
      const ttl = nowSeconds() + keptSeconds;
      const item = { ...keyOf(blob), type: "delivery-upload", place: place ?? "", ttl };
      await table().write(place === undefined ? remove(keyOf(blob)) : overwrite(item));
    },
  };
}
