import { mustHaveVersion } from "../../base/store/conditions.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { dues, padded } from "../../base/store/keys/keys.ts";
import { retentionKeys } from "../../base/store/keys/retentionKeys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import { remove, update, type Write } from "../../base/store/writes.ts";
import type { Retention } from "../rules/retention.ts";

/** What a project said, and what its sweeps removed. Times are Unix seconds, 0 before the first. */
export interface StoredRetention extends Retention {
  projectKey: string;
  sweptAt: number;
  /** All sweeps together. */
  removedTasks: number;
  removedLogs: number;
  removedVersions: number;
}

const secondsBetweenSweeps = 86_400;

/** Undefined in a project that keeps everything and always did. */
export function findRetention(
  projectKey: string,
  options: { consistent?: boolean } = {},
): Promise<Item<StoredRetention> | undefined> {
  return table().get<StoredRetention>(retentionKeys.retention(projectKey), options);
}

/** The last who sets it decides; the first sweep is due at once. What was removed stays counted. */
export function saveRetention(projectKey: string, retention: Retention, beside: Write): Promise<void> {
  const due = { duePk: dues.retentions, dueSk: duePlace(projectKey, nowSeconds()) };
  const keepsAll = Object.values(retention).every((days) => days === 0);
  const set = { type: "project-retention", projectKey, ...retention, ...(keepsAll ? {} : due) };
  const initial = { sweptAt: 0, removedTasks: 0, removedLogs: 0, removedVersions: 0 };
  const unset = keepsAll ? ["duePk", "dueSk"] : [];
  return table().write(update(retentionKeys.retention(projectKey), { set, initial, unset }), beside);
}

/** With the project. */
export function removeRetention(projectKey: string): Write {
  return remove(retentionKeys.retention(projectKey));
}

/** Projects that are to be swept now. */
export async function dueRetentions(): Promise<Item<StoredRetention>[]> {
  const between = [padded(0), duePlace("~", nowSeconds())] as const;
  const due = await table().query<object>({ index: "due", pk: dues.retentions, between });
  return table().getMany<StoredRetention>(due.map(({ pk, sk }) => ({ pk, sk })));
}

export async function hasRetentions(): Promise<boolean> {
  return (await table().query<object>({ index: "due", pk: dues.retentions, limit: 1 })).length > 0;
}

/** Notes what a sweep removed; the next one is due in a day, or at once where something was left. */
export async function recordSweep(
  seen: Item<StoredRetention>,
  { tasks, logs, versions, isDone }: { tasks: number; logs: number; versions: number; isDone: boolean },
): Promise<void> {
  const now = nowSeconds();
  const dueSk = duePlace(seen.projectKey, isDone ? now + secondsBetweenSweeps : now);
  const changes = {
    set: { sweptAt: now, dueSk },
    add: { removedTasks: tasks, removedLogs: logs, removedVersions: versions },
  };
  // If it was set again meanwhile, it is due anyway; what was removed is counted all the same.
  if (
    await tryWrite(
      table().write(update(retentionKeys.retention(seen.projectKey), changes, mustHaveVersion(seen.version))),
    )
  )
    return;
  const { set: _set, ...counted } = changes;
  await tryWrite(
    table().write(update(retentionKeys.retention(seen.projectKey), counted, { kind: "exists", path: "pk" })),
  );
}

function duePlace(projectKey: string, at: number): string {
  return `${padded(at)}#${projectKey}`;
}
