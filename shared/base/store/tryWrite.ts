import { ConditionFailed } from "./tableClient.ts";

/** @returns false when the condition of the write no longer held */
export async function tryWrite(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
