import { keys } from "./keys.ts";
import { mustExist, update, type Write } from "./writes.ts";

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
