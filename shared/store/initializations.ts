import { nowSeconds } from "./ids.ts";
import { keys } from "./keys.ts";
import type { Project } from "./projects.ts";
import { ConditionFailed } from "./table.ts";
import { table } from "./theTable.ts";
import { mustExist, update } from "./writes.ts";

/** How long a request may be at an initialization before another one may go on with it. */
const seconds = 120;

/** Marks a new project as begun by the request with this digest. */
export function begunInitialization(digest: string): Pick<Project, "initializationDigest" | "initializationUntil"> {
  return { initializationDigest: digest, initializationUntil: nowSeconds() + seconds };
}

/**
 * Takes up an initialization that stopped.
 * @returns false when the project was not begun by the same request, is complete, or another request is at it
 */
export async function claimInitialization(projectKey: string, digest: string): Promise<boolean> {
  const now = nowSeconds();
  const condition = {
    expression: "#digest = :digest AND #until < :now AND attribute_not_exists(#deleting)",
    names: { "#digest": "initializationDigest", "#until": "initializationUntil", "#deleting": "deleting" },
    values: { ":digest": digest, ":now": now },
  };
  try {
    await table().write(update(keys.project(projectKey), { set: { initializationUntil: now + seconds } }, condition));
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/** Lets the same request be sent again at once. */
export async function releaseInitialization(projectKey: string): Promise<void> {
  await table().write(update(keys.project(projectKey), { set: { initializationUntil: 0 } }, mustExist));
}

/** From here on the project is like any other. */
export async function finishInitialization(projectKey: string): Promise<void> {
  const unset = ["initializationDigest", "initializationUntil"];
  await table().write(update(keys.project(projectKey), { unset }, mustExist));
}
