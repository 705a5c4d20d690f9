import { readStoredText, type StoredText, storeText } from "../../../base/aws/objects/objectStore.ts";
import { type Key, keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { RecordUser, UsedRecord } from "../../../base/store/uses.ts";
import { overwrite, remove, type Write } from "../../../base/store/writes.ts";
import type { Reference } from "../../definition/references.ts";

interface Named {
  key: string;
  projectKey: string;
}

/** A workflow as records that it refers to know it. */
export function workflowUser({ key, projectKey }: Named): RecordUser {
  return { kind: "workflow", projectKey, name: key };
}

/** Those of the references that are records of this installation: a definition may come from another one. */
export async function existingRecords(references: readonly Reference[]): Promise<UsedRecord[]> {
  const wanted = references.flatMap(recordsOf);
  const distinct = new Map(wanted.map(({ key }) => [`${key.pk} ${key.sk}`, key]));
  const items = await table().getMany<object>([...distinct.values()]);
  const standing = new Set(items.map(({ pk }) => pk));
  return wanted.filter(({ key }) => standing.has(key.pk));
}

/** What the workflow said when it was saved that it refers to. */
export async function findUses(workflowKey: string): Promise<UsedRecord[]> {
  const item = await table().get<{ uses: StoredText }>(keys.workflowUses(workflowKey));
  return item === undefined ? [] : (JSON.parse(await readStoredText(item.uses)) as UsedRecord[]);
}

/** For the transaction that writes the workflow itself, whose condition rules out other writers. */
export async function putUses(workflowKey: string, uses: readonly UsedRecord[]): Promise<Write> {
  const key = keys.workflowUses(workflowKey);
  if (uses.length === 0) return remove(key);
  return overwrite({ ...key, type: "workflow-uses", uses: await storeText(JSON.stringify(uses)) });
}

/** Of a strategy the cluster too, so that neither goes. */
function recordsOf(reference: Reference): UsedRecord[] {
  if (reference.kind !== "cluster") return [{ key: keyOf(reference) }];
  const key = keys.cluster(reference.id);
  return [{ key }, ...(reference.strategyId === undefined ? [] : [{ key, part: reference.strategyId }])];
}

function keyOf(reference: Exclude<Reference, { kind: "cluster" }>): Key {
  switch (reference.kind) {
    case "registry":
      return keys.registry(reference.id);
    case "code-host":
    case "base-image":
    case "jenkins":
    case "database":
    case "configuration":
    case "issue-tracker":
      return keys.integration(reference.kind, reference.id);
    default:
      return keys.definition(reference.kind, reference.projectKey, reference.name);
  }
}
