import { qualityKey } from "../../../base/common/ownerKey.ts";
import { type Condition, equals, mustBeFreeOr } from "../../../base/store/conditions.ts";
import { keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { UsedRecord } from "../../../base/store/uses.ts";
import { remove } from "../../../base/store/writes.ts";
import { type DefinitionKind, projectMustBeLeaving } from "../../../projects/store/projects.ts";
import { removeTestCases } from "../../../reports/statistics/store/testCases.ts";
import { findHead } from "../../records/taskHeads.ts";
import { changeUses } from "./changeUses.ts";
import { userOf } from "./definitionStore.ts";

/** Items of a definition that go in one transaction, beside its uses. */
const maxAtOnce = 20;

/**
 * Removes all builds, tests and code scans of a project, whatever refers to them. For the deletion of a project; may be
 * repeated. @returns the ids of those that may have tasks @throws ConditionFailed when the project exists (again)
 */
export async function removeAllDefinitions(projectKey: string): Promise<string[]> {
  const gone: string[] = [];
  for (const { kind, name } of await listDefinitionNames(projectKey)) {
    const head = kind === "build" ? undefined : await findHead(qualityKey(kind, projectKey, name));
    await removeDefinition(kind, projectKey, name);
    if (head !== undefined) gone.push(head.ownerId);
  }
  return gone;
}

/** The name in the project is how the others are found, so it goes last. */
async function removeDefinition(kind: DefinitionKind, projectKey: string, name: string): Promise<void> {
  const leaving = projectMustBeLeaving(projectKey);
  const key = keys.definition(kind, projectKey, name);
  const items = await table().query<{ uses?: readonly UsedRecord[] }>({ pk: key.pk });
  const uses = items.find(({ sk }) => sk === key.sk)?.uses ?? [];
  await table().write(leaving, ...changeUses(uses, [], userOf(kind, { projectKey, name })));
  for (let at = 0; at < items.length; at += maxAtOnce) {
    const removals = items.slice(at, at + maxAtOnce).map(({ pk, sk }) => remove({ pk, sk }));
    await table().write(leaving, ...removals);
  }
  if (kind === "test") await removeTestCases(projectKey, name);
  await table().write(
    leaving,
    remove(keys.definitionName(kind, name), ofProject(projectKey)),
    ...(kind === "build" ? [] : [remove(keys.taskHead(qualityKey(kind, projectKey, name)))]),
    remove(keys.definitionOfProject(projectKey, kind, name)),
  );
}

/** Names are unique in the installation for some kinds only; one of another project stays. */
function ofProject(projectKey: string): Condition {
  return mustBeFreeOr(equals("projectKey", projectKey));
}

/** Every build, test and code scan of a project; consistent. */
function listDefinitionNames(projectKey: string): Promise<{ kind: DefinitionKind; name: string }[]> {
  return table().query<{ kind: DefinitionKind; name: string }>({
    pk: keys.definitionOfProject(projectKey, "", "").pk,
  });
}
