import { newId, nowSeconds } from "../../base/store/ids.ts";
import { wholeChangeSeconds } from "../limits.ts";
import type { Change } from "../store/changes.ts";
import type { EnvironmentRecord } from "../store/environments.ts";

/** A change of an environment that begins now, in its first attempt; `asked` says what it is and wins over what is usual. */
export function newChange(
  environment: EnvironmentRecord,
  asked: Pick<Change, "kind" | "by"> &
    Partial<
      Pick<
        Change,
        | "changeId"
        | "status"
        | "groups"
        | "deleteObjects"
        | "startedAt"
        | "adopt"
        | "reset"
        | "deleteCrds"
        | "releasePlan"
        | "byUser"
        | "test"
        | "bounds"
      >
    >,
): Change {
  const { projectKey, envKey, environmentId, clusterId, namespace, production, adoptManagers, baseEnv } = environment;
  const startedAt = asked.startedAt ?? nowSeconds();
  return {
    changeId: newId(startedAt),
    projectKey,
    envKey,
    environmentId,
    clusterId,
    namespace,
    production,
    ...(adoptManagers && { adoptManagers }),
    ...(baseEnv !== undefined && { baseEnv }),
    status: "running",
    attempt: 1,
    groups: [],
    configs: [],
    deleteObjects: false,
    startedAt,
    deadline: startedAt + wholeChangeSeconds,
    error: "",
    ...asked,
  };
}
