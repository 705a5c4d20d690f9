import type { StoredText } from "../../base/aws/objects/objectStore.ts";
import { mustBeOneOf } from "../../base/store/conditions.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { overwrite, remove, update, type Write } from "../../base/store/writes.ts";

interface Sleeper {
  projectKey: string;
  envKey: string;
  changeId: string;
}

/** JSON of what was remembered; undefined when the environment's workloads were not put to rest. */
export async function findActivities({
  projectKey,
  envKey,
}: Pick<Sleeper, "projectKey" | "envKey">): Promise<StoredText | undefined> {
  return (await table().get<{ memory: StoredText }>(keys.environmentSleep(projectKey, envKey)))?.memory;
}

/**
 * Keeps what workloads ask for, before they are put to rest.
 * @throws ConditionFailed when the change is no longer the environment's own
 */
export function recordActivities({ projectKey, envKey, changeId }: Sleeper, memory: StoredText): Promise<void> {
  return table().write(
    update(keys.environment(projectKey, envKey), { set: { asleep: true } }, mustBeOneOf("changeId", [changeId])),
    overwrite({ ...keys.environmentSleep(projectKey, envKey), type: "environment-sleep", memory }),
  );
}

/** All workloads ask again for what they asked for before; goes with the change that woke them. */
export function removeActivities({ projectKey, envKey }: Sleeper): Write {
  return remove(keys.environmentSleep(projectKey, envKey));
}
