import { mustHaveVersion, mustNotExist } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { dues, keys, padded } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { type Changes, overwrite, remove, update, type Write } from "../../../base/store/writes.ts";
import { type CollaborationMode, goesAt } from "../rules/collaboration.ts";

/** A collaboration mode as it is stored (contract I 8.1). */
export interface StoredMode extends CollaborationMode {
  createdBy: string;
  /** Unix seconds. */
  createdAt: number;
}

/** The modes of one project: one item, so that the batch of a caller's grants reads them. */
export interface Collaborations {
  projectKey: string;
  modes: readonly StoredMode[];
  /** Copies whose member or mode is gone, until their deletion has started, as `nameOfShared` names them. */
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
  const dueAt = dueTime(after);
  const due = { duePk: dues.collaborations, dueSk: `${padded(dueAt ?? 0)}#${projectKey}` };
  const isDue = dueAt !== undefined;
  const changes: Changes = {
    set: { type: "collaborations", projectKey, modes: after.modes, leaving: after.leaving, ...(isDue ? due : {}) },
    ...(isDue ? {} : { unset: Object.keys(due) }),
  };
  const unchanged = before === undefined ? mustNotExist : mustHaveVersion(before.version);
  return update(keys.collaborations(projectKey), changes, unchanged);
}

/** When copies are to be looked at: Unix seconds; undefined while none ever goes. */
function dueTime({ modes, leaving }: Pick<Collaborations, "modes" | "leaving">): number | undefined {
  if (leaving.length > 0) return nowSeconds();
  const times = modes.flatMap((mode) =>
    Object.values(mode.copies).flatMap((ofMember) => Object.values(ofMember).map((copy) => goesAt(mode, copy))),
  );
  return times.reduce((least, time) => (least === undefined || (time ?? least) < least ? time : least), undefined);
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

/** Projects with copies that are to be deleted, or whose time has come. */
export async function dueCollaborations(): Promise<string[]> {
  const between = [padded(0), `${padded(nowSeconds())}~`] as const;
  const items = await table().query<object>({ index: "due", pk: dues.collaborations, between });
  return items.map(({ pk }) => pk.slice("collaborations#".length));
}

/** Whether there is a copy anywhere that goes without visits. */
export async function hasPassingCopies(): Promise<boolean> {
  return (await table().query<object>({ index: "due", pk: dues.collaborations, limit: 1 })).length > 0;
}
