import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import { table } from "../../base/store/table.ts";
import { namesOfCopies } from "./namesOfCopies.ts";
import {
  findCollaborations,
  markMember,
  modesNaming,
  type StoredMode,
  saveCollaborations,
} from "./store/collaborations.ts";

/**
 * Takes a user or a group out of every mode, with the user's copies; may be repeated. `subject` is `user#<uid>` or
 * `group#<id>`; the copies are deleted by the reconciler.
 */
export async function leaveAllModes(subject: string): Promise<void> {
  const id = subject.slice(subject.indexOf("#") + 1);
  for (const { projectKey, mode: name } of await modesNaming(subject))
    await retryOnConflict(async () => {
      const before = await findCollaborations(projectKey);
      const mode = before?.modes.find((one) => one.name === name);
      if (before === undefined || mode === undefined)
        return table().write(markMember(subject, { projectKey, name }, false));
      const gone = namesOfCopies(mode, id);
      if (gone.length > 0) await enableReconciler();
      const modes = before.modes.map((one) => (one === mode ? without(mode, id) : one));
      await table().write(
        saveCollaborations(projectKey, before, { modes, leaving: [...before.leaving, ...gone] }),
        markMember(subject, mode, false),
      );
    });
}

function without(mode: StoredMode, id: string): StoredMode {
  const copies = Object.fromEntries(Object.entries(mode.copies).filter(([uid]) => uid !== id));
  const userIds = mode.userIds.filter((uid) => uid !== id);
  return { ...mode, copies, userIds, groupIds: mode.groupIds.filter((groupId) => groupId !== id) };
}
