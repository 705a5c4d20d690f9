import { readStoredText, type StoredText, storeText } from "../../../base/aws/objects/objectStore.ts";
import type { SealedSecret } from "../../../base/aws/secrets/sealedSecret.ts";
import { keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { overwrite, remove, type Write } from "../../../base/store/writes.ts";

/** The credentials of one workflow by their locations, each sealed by itself: to keep one takes no unsealing. */
export type SealedCredentials = ReadonlyMap<string, SealedSecret>;

export async function findSealedCredentials(workflowKey: string): Promise<SealedCredentials> {
  const item = await table().get<{ sealed: StoredText }>(keys.workflowCredentials(workflowKey));
  if (item === undefined) return new Map();
  return new Map(JSON.parse(await readStoredText(item.sealed)) as [string, SealedSecret][]);
}

/** For the transaction that writes the workflow itself, whose condition rules out other writers. */
export async function putCredentials(workflowKey: string, sealed: SealedCredentials): Promise<Write> {
  const key = keys.workflowCredentials(workflowKey);
  if (sealed.size === 0) return remove(key);
  return overwrite({ ...key, type: "workflow-credentials", sealed: await storeText(JSON.stringify([...sealed])) });
}

export function removeCredentials(workflowKey: string): Write {
  return remove(keys.workflowCredentials(workflowKey));
}
