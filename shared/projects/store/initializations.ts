import { absent, both, equals, less, mustExist } from "../../base/store/conditions.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed } from "../../base/store/tableClient.ts";
import { type Changes, update } from "../../base/store/writes.ts";
import type { Project } from "./projects.ts";

/** How long a request may be at an initialization before another one may go on with it. */
const seconds = 120;

/** Marks a new project as started by the request with this digest. */
export function begunInitialization(digest: string): Pick<Project, "initializationDigest" | "initializationUntil"> {
  return { initializationDigest: digest, initializationUntil: nowSeconds() + seconds };
}

/**
 * Takes up an initialization that stopped.
 * @returns false when the project was not started by the same request, is complete, or another request is working on it
 */
export async function claimInitialization(projectKey: string, digest: string): Promise<boolean> {
  const now = nowSeconds();
  const stopped = both(equals("initializationDigest", digest), less("initializationUntil", now), absent("deleting"));
  try {
    await table().write(update(keys.project(projectKey), { set: { initializationUntil: now + seconds } }, stopped));
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/** Lets the same request be sent again at once; harmless when the project is gone. */
export function releaseInitialization(projectKey: string): Promise<void> {
  return changeBegun(projectKey, { set: { initializationUntil: 0 } });
}

/** From here on the project is like any other. */
export function finishInitialization(projectKey: string): Promise<void> {
  return changeBegun(projectKey, { unset: ["initializationDigest", "initializationUntil"] });
}

async function changeBegun(projectKey: string, changes: Changes): Promise<void> {
  try {
    await table().write(update(keys.project(projectKey), changes, mustExist));
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
