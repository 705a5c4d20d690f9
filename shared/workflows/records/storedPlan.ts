import { readStoredText, type StoredText, storeText } from "../../base/aws/objects/objectStore.ts";
import type { TaskPlan } from "./task.ts";

/**
 * Every step of every job reads the plan. Beside its task it costs a read unit for each 4 KB and twelve times as much to write
 * as an object, which costs about as much to read as three units: docs/decisions/0205.
 */
const inlineBytes = 8 * 1024;

/** Plans of the tasks that this process works on; an object never changes. */
const kept = new Map<string, string>();
const mostKept = 8;

export function storePlan(recordId: string, plan: TaskPlan): Promise<StoredText> {
  return storeText(JSON.stringify(plan), { inlineBytes, folder: taskFolder(recordId) });
}

/** Where texts of one task are among the texts of the object store; they go with the task. */
export function taskFolder(recordId: string): string {
  return `tasks/${recordId}/`;
}

export async function readStoredPlan(stored: StoredText): Promise<TaskPlan> {
  if ("inline" in stored) return JSON.parse(stored.inline);
  const { objectKey } = stored;
  const text = kept.get(objectKey) ?? (await readStoredText(stored));
  kept.delete(objectKey);
  kept.set(objectKey, text);
  for (const oldest of [...kept.keys()].slice(0, Math.max(0, kept.size - mostKept))) kept.delete(oldest);
  return JSON.parse(text);
}
