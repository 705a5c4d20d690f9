import type { Key } from "../../../base/store/keys/keys.ts";
import type { UsedRecord } from "../../../base/store/uses.ts";

/** A record that a definition refers to, with the name that it had when the definition was saved. */
export interface NamedUse extends UsedRecord {
  /** Of the record, or of its part. */
  id: string;
  name: string;
}

/** The saved name of a record, or of a part of it; empty when it is not used. */
export function savedName(uses: readonly NamedUse[], key: Key, part?: string): string {
  return uses.find((use) => sameRecord(use, part === undefined ? { key } : { key, part }))?.name ?? "";
}

export function sameRecord(a: UsedRecord, b: UsedRecord): boolean {
  return a.key.pk === b.key.pk && a.key.sk === b.key.sk && (a.part ?? "") === (b.part ?? "");
}
