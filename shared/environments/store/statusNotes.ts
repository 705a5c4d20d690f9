import { mustBeOneOf, mustExist } from "../../base/store/conditions.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { update, type Write } from "../../base/store/writes.ts";
import type { CurrentChange } from "./environments.ts";

/** Notes that the change has applied everything and only waits. @throws ConditionFailed when it is no longer current */
export function setRollingOut({ projectKey, envKey, changeId }: CurrentChange): Write {
  return update(
    keys.environment(projectKey, envKey),
    { set: { rollingOut: true } },
    mustBeOneOf("changeId", [changeId]),
  );
}

/** Notes why a change that is tried again does not come to its end. @throws ConditionFailed as above */
export function setEnvironmentError({ projectKey, envKey, changeId }: CurrentChange, error: string): Write {
  return update(keys.environment(projectKey, envKey), { set: { error } }, mustBeOneOf("changeId", [changeId]));
}

/** Notes why a service was not ready when its change ended, or that it was. */
export function setNotReady(
  { projectKey, envKey }: { projectKey: string; envKey: string },
  service: string,
  notReady: string,
): Write {
  const key = keys.environmentService(projectKey, envKey, service);
  return update(key, notReady === "" ? { unset: ["notReady"] } : { set: { notReady } }, mustExist);
}

/** Notes on a service that it could not be applied. */
export function setServiceError(
  { projectKey, envKey }: { projectKey: string; envKey: string },
  service: string,
  error: string,
): Write {
  return update(keys.environmentService(projectKey, envKey, service), { set: { error } }, mustExist);
}

export function setDefinitionGone(
  environment: { projectKey: string; envKey: string },
  service: string,
  gone: boolean,
): Write {
  const key = keys.environmentService(environment.projectKey, environment.envKey, service);
  return update(key, gone ? { set: { definitionGone: true } } : { unset: ["definitionGone"] }, mustExist);
}
