import { mustExist } from "./conditions.ts";
import { type Key, keys, usePrefix } from "./keys/keys.ts";
import { table } from "./table.ts";
import { overwrite, remove, update, type Write } from "./writes.ts";

/** What refers to a record by its id, as a refusal to delete that record names it. */
export interface RecordUser {
  kind: "build" | "build template" | "code scan" | "test" | "workflow" | "trigger";
  /** Empty for what belongs to no project. */
  projectKey: string;
  name: string;
}

/** A record that others refer to, or a part of one: a strategy of a cluster. */
export interface UsedRecord {
  key: Key;
  part?: string;
}

/**
 * Writes for the transaction in which the user begins to refer to the record, which must exist then. Repeating them
 * changes nothing. They touch the record, so that a deletion that looked for users before is lost.
 */
export function startUse({ key, part = "" }: UsedRecord, user: RecordUser): Write[] {
  const { kind, projectKey, name } = user;
  return [
    update(key, {}, mustExist),
    overwrite({ ...keys.use(key, part, nameOf(user)), type: "use", user: { kind, projectKey, name } }),
  ];
}

/** The write for the transaction in which the user stops to refer to the record, or is deleted. */
export function endUse({ key, part = "" }: UsedRecord, user: RecordUser): Write {
  return remove(keys.use(key, part, nameOf(user)));
}

/** Everything that refers to the record, read consistently. */
export async function usersOf({ key, part = "" }: UsedRecord): Promise<RecordUser[]> {
  const items = await table().query<{ user: RecordUser }>({ pk: key.pk, prefix: usePrefix(part) });
  return items.map(({ user }) => user);
}

function nameOf({ kind, projectKey, name }: RecordUser): string {
  return `${kind}#${projectKey}#${name}`;
}
