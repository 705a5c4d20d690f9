import { ApiError } from "../base/errors/apiError.ts";
import { enableReconciler } from "../base/reconciling/enableReconciler.ts";
import { retryOnConflict } from "../base/store/retryOnConflict.ts";
import { table } from "../base/store/table.ts";
import { conflictedOn } from "../base/store/tableClient.ts";
import type { Write } from "../base/store/writes.ts";
import { projectMustBeLeaving } from "../projects/store/projects.ts";
import { startVersion } from "./startVersion.ts";
import {
  allVersions,
  countVersions,
  findVersion,
  removeVersionParts,
  requireVersion,
  startRemoval,
  startRetry,
  versionMissing,
} from "./store/versions.ts";

/**
 * Does what did not pass of a failed version again (contract D 1.13).
 * @throws ApiError 404; 400 in any other status
 */
export async function retryVersion(projectKey: string, versionId: string): Promise<void> {
  const version = await requireVersion(versionId);
  if (version.projectKey !== projectKey) throw versionMissing(versionId);
  const refused = (status: string) => new ApiError(400, `can't reCreate version with status:${status}`);
  if (version.status !== "failed") throw refused(version.status);
  const { next, write } = startRetry(version);
  await enableReconciler();
  try {
    await table().write(write);
  } catch (error) {
    if (!conflictedOn(error, "delivery version")) throw error;
    throw refused((await requireVersion(versionId)).status);
  }
  await startVersion(next);
}

/**
 * Takes a version away; what was pushed stays (contract D 1.4). Where there is none, nothing is to be done.
 * @param beside written in the same transaction @throws ApiError 404 for a version of another project
 */
export async function deleteVersion(projectKey: string, versionId: string, ...beside: Write[]): Promise<void> {
  const isTaken = await retryOnConflict(async () => {
    const version = await findVersion(versionId);
    if (version === undefined) return false;
    if (version.projectKey !== projectKey) throw versionMissing(versionId);
    await enableReconciler();
    await table().write(...startRemoval(version), ...beside);
    return true;
  });
  if (isTaken) await removeVersionParts(versionId);
}

/**
 * For the deletion of a project; may be repeated.
 * @throws ConditionFailed when the project exists and is not being deleted
 * @returns false while some are left that lists do not show yet: then it has to be called again
 */
export async function removeAllVersions(projectKey: string): Promise<boolean> {
  for (const { versionId } of await allVersions(projectKey))
    await deleteVersion(projectKey, versionId, projectMustBeLeaving(projectKey));
  return (await countVersions(projectKey)) === 0;
}
