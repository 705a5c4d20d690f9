import type { CollaborationMode } from "../domain/identity/collaboration.ts";
import { nowSeconds } from "./ids.ts";
import { dues, keys, padded } from "./keys.ts";
import type { Item } from "./table.ts";
import { table } from "./theTable.ts";
import { type Changes, mustHaveVersion, mustNotExist, overwrite, remove, update, type Write } from "./writes.ts";

/** A collaboration mode as it is stored (contract I 8.1). */
export interface StoredMode extends CollaborationMode {
  /** Days without a visit after which copies go; 0: never. */
  recycleDay: number;
  createdBy: string;
  /** Unix seconds. */
  createdAt: number;
}

/** The modes of one project: one item, so that the batch of a caller's grants reads them. */
export interface Collaborations {
  projectKey: string;
  modes: readonly StoredMode[];
  /** Copies whose member or mode is gone, until their deletion has begun: names of environments. */
  leaving: readonly string[];
}

export function findCollaborations(projectKey: string): Promise<Item<Collaborations> | undefined> {
  return table().get<Collaborations>(keys.collaborations(projectKey));
}

/** Fails when the modes of the project changed since `before` was read. */
export function saveCollaborations(
  projectKey: string,
  before: Item<Collaborations> | undefined,
  after: Pick<Collaborations, "modes" | "leaving">,
): Write {
  const due = { duePk: dues.collaborations, dueSk: `${padded(nowSeconds())}#${projectKey}` };
  const isDue = after.leaving.length > 0;
  const changes: Changes = {
    set: { type: "collaborations", projectKey, modes: after.modes, leaving: after.leaving, ...(isDue ? due : {}) },
    ...(isDue ? {} : { unset: Object.keys(due) }),
  };
  const unchanged = before === undefined ? mustNotExist : mustHaveVersion(before.version);
  return update(keys.collaborations(projectKey), changes, unchanged);
}

export function removeCollaborations(projectKey: string): Write {
  return remove(keys.collaborations(projectKey));
}

/** Says in the subject's own partition that a mode names it. */
export function markMember(subject: string, mode: Pick<StoredMode, "projectKey" | "name">, isMember: boolean): Write {
  const key = keys.modeMember(subject, mode.projectKey, mode.name);
  return isMember
    ? overwrite({ ...key, type: "mode-member", projectKey: mode.projectKey, mode: mode.name })
    : remove(key);
}

/** The modes that name a subject. */
export async function modesNaming(subject: string): Promise<{ projectKey: string; mode: string }[]> {
  const items = await table().query<{ projectKey: string; mode: string }>({ pk: subject, prefix: "profile#mode#" });
  return items.map(({ projectKey, mode }) => ({ projectKey, mode }));
}

/** Projects with copies that are to be deleted. */
export async function dueCollaborations(): Promise<string[]> {
  const items = await table().query<object>({ index: "due", pk: dues.collaborations });
  return items.map(({ pk }) => pk.slice("collaborations#".length));
}
