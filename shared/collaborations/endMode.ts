import { type Copy, copiesOf, goesAt } from "../domain/identity/collaboration.ts";
import { beginDeletion } from "../environments/deleteEnvironment.ts";
import { enableReconciler } from "../reconciling/enableReconciler.ts";
import {
  findCollaborations,
  markMember,
  modesNaming,
  type StoredMode,
  saveCollaborations,
} from "../store/collaborations.ts";
import { findEnvironment } from "../store/environments.ts";
import { nowSeconds } from "../store/ids.ts";
import { retryLost } from "../store/retryLost.ts";
import { table } from "../store/theTable.ts";
import { subjectsOf } from "./createMode.ts";

/**
 * Deletes a mode: what it granted ends at once, and the deletion of its members' copies begins (contract I 8.2). An
 * unknown one is left alone.
 */
export async function endMode(projectKey: string, name: string, actor: { name: string }): Promise<void> {
  await retryLost(async () => {
    const before = await findCollaborations(projectKey);
    const mode = before?.modes.find((one) => one.name === name);
    if (before === undefined || mode === undefined) return;
    const leaving = [...before.leaving, ...allCopiesOf(mode)];
    if (leaving.length > 0) await enableReconciler();
    await table().write(
      saveCollaborations(projectKey, before, { modes: before.modes.filter((one) => one !== mode), leaving }),
      ...subjectsOf(mode).map((subject) => markMember(subject, mode, false)),
    );
  });
  await deleteLeavingCopies(projectKey, actor);
}

/**
 * Takes a user or a group out of every mode, with the user's copies; may be repeated. `subject` is `user#<uid>` or
 * `group#<id>`; the copies are deleted by the reconciler.
 */
export async function leaveAllModes(subject: string): Promise<void> {
  const id = subject.slice(subject.indexOf("#") + 1);
  for (const { projectKey, mode: name } of await modesNaming(subject))
    await retryLost(async () => {
      const before = await findCollaborations(projectKey);
      const mode = before?.modes.find((one) => one.name === name);
      if (before === undefined || mode === undefined)
        return table().write(markMember(subject, { projectKey, name }, false));
      const gone = [...copiesOf(mode, id).values()].map(({ name }) => name);
      if (gone.length > 0) await enableReconciler();
      const modes = before.modes.map((one) => (one === mode ? without(mode, id) : one));
      await table().write(
        saveCollaborations(projectKey, before, { modes, leaving: [...before.leaving, ...gone] }),
        markMember(subject, mode, false),
      );
    });
}

/** Deletes the copies of one project that nobody is to have any more, or that nobody came to see. By the reconciler. */
export async function tidyCopies(projectKey: string): Promise<void> {
  await leaveUnvisited(projectKey);
  await deleteLeavingCopies(projectKey, { name: "system" });
}

/** A member who comes back gets a new copy at the next look. */
function leaveUnvisited(projectKey: string): Promise<void> {
  return retryLost(async () => {
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
  const kept = (copy: Copy): boolean => {
    if ((goesAt(mode, copy) ?? Number.POSITIVE_INFINITY) > now) return true;
    gone.push(copy.name);
    return false;
  };
  const copies = Object.entries(mode.copies).map(([uid, ofMember]) => {
    return [uid, Object.fromEntries(Object.entries(ofMember).filter(([, copy]) => kept(copy)))] as const;
  });
  return { ...mode, copies: Object.fromEntries(copies) };
}

/** Begins the deletion of every copy that nobody is to have any more. */
async function deleteLeavingCopies(projectKey: string, actor: { name: string }): Promise<void> {
  const { leaving = [] } = (await findCollaborations(projectKey)) ?? {};
  for (const name of leaving) {
    const environment = await findEnvironment(projectKey, name);
    if (environment !== undefined && !environment.production) await beginDeletion(environment, true, actor);
  }
  if (leaving.length === 0) return;
  await retryLost(async () => {
    const before = await findCollaborations(projectKey);
    if (before === undefined) return;
    const left = before.leaving.filter((name) => !leaving.includes(name));
    await table().write(saveCollaborations(projectKey, before, { modes: before.modes, leaving: left }));
  });
}

function allCopiesOf({ copies }: StoredMode): string[] {
  return Object.values(copies).flatMap((ofMember) => Object.values(ofMember).map(({ name }) => name));
}

function without(mode: StoredMode, id: string): StoredMode {
  const copies = Object.fromEntries(Object.entries(mode.copies).filter(([uid]) => uid !== id));
  const userIds = mode.userIds.filter((uid) => uid !== id);
  return { ...mode, copies, userIds, groupIds: mode.groupIds.filter((groupId) => groupId !== id) };
}
