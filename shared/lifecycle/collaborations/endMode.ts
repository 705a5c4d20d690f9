import { namesOfCopies } from "../../access/identity/namesOfCopies.ts";
import { type Copy, goesAt, sharedOfName } from "../../access/identity/rules/collaboration.ts";
import {
  findCollaborations,
  markMember,
  type StoredMode,
  saveCollaborations,
} from "../../access/identity/store/collaborations.ts";
import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import { table } from "../../base/store/table.ts";
import { startDeletion } from "../../environments/change/startDeletion.ts";
import { findEnvironment } from "../../environments/store/environments.ts";
import type { CancelTasks } from "../../workflows/records/task.ts";
import { deleteWorkflow } from "../../workflows/saved/deleteWorkflow.ts";
import { findWorkflow } from "../../workflows/saved/store/workflows.ts";
import { subjectsOf } from "./createMode.ts";

/**
 * Deletes a mode: what it granted ends at once, and the deletion of its members' copies begins (contract I 8.2). An
 * unknown one is left alone.
 */
export async function endMode(projectKey: string, name: string, actor: { name: string }): Promise<void> {
  await retryOnConflict(async () => {
    const before = await findCollaborations(projectKey);
    const mode = before?.modes.find((one) => one.name === name);
    if (before === undefined || mode === undefined) return;
    const leaving = [...before.leaving, ...namesOfCopies(mode)];
    if (leaving.length > 0) await enableReconciler();
    await table().write(
      saveCollaborations(projectKey, before, { modes: before.modes.filter((one) => one !== mode), leaving }),
      ...subjectsOf(mode).map((subject) => markMember(subject, mode, false)),
    );
  });
  await deleteLeavingCopies(projectKey, actor);
}

/** Deletes the copies of one project that no member is to keep, or that no member visited. By the reconciler. */
export async function tidyCopies(projectKey: string, cancelTasks: CancelTasks): Promise<void> {
  await leaveUnvisited(projectKey);
  await deleteLeavingCopies(projectKey, { name: "system" }, cancelTasks);
}

/** A member who comes back gets a new copy at the next look. */
function leaveUnvisited(projectKey: string): Promise<void> {
  return retryOnConflict(async () => {
    const before = await findCollaborations(projectKey);
    if (before === undefined) return;
    const gone: string[] = [];
    const modes = before.modes.map((mode) => withoutUnvisited(mode, gone));
    if (gone.length === 0) return;
    await table().write(saveCollaborations(projectKey, before, { modes, leaving: [...before.leaving, ...gone] }));
  });
}

function withoutUnvisited(mode: StoredMode, gone: string[]): StoredMode {
  const now = nowSeconds();
  const isKept = ([, copy]: [string, Copy]) => (goesAt(mode, copy) ?? Number.POSITIVE_INFINITY) > now;
  const sorted = (isWanted: (entry: [string, Copy]) => boolean) => {
    const members = Object.entries(mode.copies).map(([uid, own]) => {
      return [uid, Object.fromEntries(Object.entries(own).filter(isWanted))] as const;
    });
    return Object.fromEntries(members);
  };
  gone.push(...namesOfCopies({ copies: sorted((entry) => !isKept(entry)) }));
  return { ...mode, copies: sorted(isKept) };
}

/**
 * Begins the deletion of every copy that no member is to keep.
 * @param cancelTasks absent: copies of workflows, which may have tasks, are left to the reconciler
 */
async function deleteLeavingCopies(
  projectKey: string,
  actor: { name: string },
  cancelTasks?: CancelTasks,
): Promise<void> {
  const { leaving = [] } = (await findCollaborations(projectKey)) ?? {};
  const isMine = (copy: string) => cancelTasks !== undefined || sharedOfName(copy).resource === "environment";
  const gone = leaving.filter(isMine);
  for (const copy of gone) await deleteCopy(projectKey, copy, actor, cancelTasks);
  if (gone.length === 0) return;
  await retryOnConflict(async () => {
    const before = await findCollaborations(projectKey);
    if (before === undefined) return;
    const left = before.leaving.filter((name) => !gone.includes(name));
    await table().write(saveCollaborations(projectKey, before, { modes: before.modes, leaving: left }));
  });
}

async function deleteCopy(
  projectKey: string,
  copy: string,
  actor: { name: string },
  cancelTasks: CancelTasks | undefined,
): Promise<void> {
  const { resource, name } = sharedOfName(copy);
  if (resource === "environment") {
    const environment = await findEnvironment(projectKey, name);
    if (environment !== undefined && !environment.production)
      await startDeletion(environment, { deleteObjects: true }, actor);
  } else if (cancelTasks !== undefined && (await findWorkflow(name))?.projectKey === projectKey)
    await deleteWorkflow({ projectKey, key: name }, cancelTasks);
}
