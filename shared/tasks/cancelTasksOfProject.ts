import { qualityKey } from "../domain/task/ownerKey.ts";
import { listDefinitionNames } from "../store/definitions/listDefinitionNames.ts";
import { findHeads } from "../store/tasks/taskHeads.ts";
import { listWorkflows } from "../store/workflows.ts";
import { cancelTasksOf } from "./cancelTasksOf.ts";

/** Ends the tasks of a project. Whoever deletes projects is given it by whoever may end tasks. */
export type CancelTasksOfProject = (projectKey: string) => Promise<void>;

/** Before a project goes: the tasks of its workflows, tests and scans end as with their deletion; may be repeated. */
export const cancelTasksOfProject: CancelTasksOfProject = async (projectKey) => {
  const [workflows, definitions] = await Promise.all([listWorkflows(projectKey), listDefinitionNames(projectKey)]);
  const owners = [
    ...workflows.map(({ key }) => key),
    ...definitions.flatMap(({ kind, name }) => (kind === "build" ? [] : [qualityKey(kind, projectKey, name)])),
  ];
  for (const { ownerId } of await findHeads(owners)) await cancelTasksOf(ownerId);
};
