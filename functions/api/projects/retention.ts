import type * as z from "zod";
import { keptForEver, newestKept, type Retention } from "../../../shared/projects/rules/retention.ts";
import { projectMustStand, requireProject } from "../../../shared/projects/store/projects.ts";
import { findRetention, type StoredRetention, saveRetention } from "../../../shared/projects/store/retentions.ts";
import { enableReconciler } from "../../../shared/reconciling/enableReconciler.ts";
import type { newRetention, retention } from "./retentionSchemas.ts";

/** How long a project keeps its tasks, and what sweeps removed so far. @throws ApiError 404 */
export async function readRetention(projectKey: string): Promise<z.input<typeof retention>> {
  await requireProject(projectKey);
  return shown(await findRetention(projectKey, { consistent: false }));
}

/** @throws ApiError 404 */
export async function setRetention(
  projectKey: string,
  { task_days, log_days, version_days }: z.output<typeof newRetention>,
): Promise<void> {
  await requireProject(projectKey);
  const wanted: Retention = { taskDays: task_days, logDays: log_days, versionDays: version_days };
  await saveRetention(projectKey, wanted, projectMustStand(projectKey));
  await enableReconciler();
}

function shown(stored: StoredRetention | undefined): z.input<typeof retention> {
  const { taskDays, logDays, versionDays } = stored ?? keptForEver;
  const { sweptAt = 0, removedTasks = 0, removedLogs = 0, removedVersions = 0 } = stored ?? {};
  return {
    ...{ task_days: taskDays, log_days: logDays, version_days: versionDays, newest_kept: newestKept },
    ...{ swept_at: sweptAt, removed_tasks: removedTasks, removed_logs: removedLogs, removed_versions: removedVersions },
  };
}
