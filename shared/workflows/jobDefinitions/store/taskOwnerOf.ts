import { type QualityKind, qualityKey } from "../../../base/common/ownerKey.ts";
import type { TaskOwner } from "../../records/task.ts";
import type { Definition } from "./definitionStore.ts";

/** What the tasks of a test or a scan are runs of. */
export function taskOwnerOf(
  kind: QualityKind,
  { definitionId, projectKey, name }: Pick<Definition<object>, "definitionId" | "projectKey" | "name">,
): TaskOwner {
  return { kind, id: definitionId, key: qualityKey(kind, projectKey, name), name, projectKey };
}
