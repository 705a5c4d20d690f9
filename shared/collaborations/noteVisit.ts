import { copiesOf } from "../identity/rules/collaboration.ts";
import type { Grants } from "../identity/rules/grants.ts";
import { findCollaborations, type StoredMode, saveCollaborations } from "../identity/store/collaborations.ts";
import { nowSeconds } from "../store/ids.ts";
import { table } from "../store/table.ts";
import { tryWrite } from "../store/tryWrite.ts";

/** Days are counted, so a visit in an hour is enough. */
const secondsBetweenNotes = 3600;

/**
 * Notes that a member was in the project, where a collaboration mode gave copies that go without visits (contract
 * I 8.3). What another write was in the way of is noted at the next request.
 */
export async function noteVisit(
  projectKey: string | undefined,
  { uid, grants }: { uid: string; grants: Grants },
): Promise<void> {
  const now = nowSeconds();
  const isOld = (visitedAt: number | undefined) => visitedAt !== undefined && visitedAt + secondsBetweenNotes <= now;
  const isNews = grants.collaborations.some((grant) => grant.projectKey === projectKey && isOld(grant.visitedAt));
  if (projectKey === undefined || !isNews) return;
  const before = await findCollaborations(projectKey);
  if (before === undefined) return;
  const modes = before.modes.map((mode) => withVisit(mode, uid, now));
  await tryWrite(table().write(saveCollaborations(projectKey, before, { modes, leaving: before.leaving })));
}

function withVisit(mode: StoredMode, uid: string, visitedAt: number): StoredMode {
  const own = [...copiesOf(mode, uid)].map(([base, copy]) => [base, { ...copy, visitedAt }] as const);
  return own.length === 0 ? mode : { ...mode, copies: { ...mode.copies, [uid]: Object.fromEntries(own) } };
}
