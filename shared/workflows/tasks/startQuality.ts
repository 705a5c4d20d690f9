import type { QualityKind } from "../../common/ownerKey.ts";
import { taskOwnerOf } from "../../definitions/store/taskOwnerOf.ts";
import { requireProject } from "../../projects/store/projects.ts";
import type { TaskActor } from "../records/task.ts";
import { type QualityArguments, type QualityDefinition, qualityDefinition } from "./qualityDefinition.ts";
import { keepSecretIn } from "./secretVariables.ts";
import { startTask } from "./startTask.ts";

/**
 * Starts a task of a test or a scan as it was read (contract W 12.2, 13.1); its head says whether it still exists.
 * @returns its number
 * @throws ApiError 6160 when it cannot run; 6542 when it was deleted at the same moment
 */
export async function startQuality(
  kind: QualityKind,
  read: QualityDefinition,
  given: QualityArguments,
  creator: TaskActor,
): Promise<number> {
  const project = await requireProject(read.projectKey);
  const secrets = new Map<string, string>();
  const definition = await qualityDefinition(kind, read, given, keepSecretIn(secrets));
  return startTask({
    owner: taskOwnerOf(kind, read),
    projectName: project.name,
    beside: () => [],
    prepare: async () => definition,
    definition,
    arguments: given,
    secrets,
    creator,
  });
}
