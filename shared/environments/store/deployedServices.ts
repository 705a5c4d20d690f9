import type { StoredText } from "../../base/aws/objects/objectStore.ts";
import { both, mustBeOneOf, mustHaveVersion } from "../../base/store/conditions.ts";
import { keys } from "../../base/store/keys/keys.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { check, create, update, type Write } from "../../base/store/writes.ts";
import { statusesAccepting } from "../rules/status.ts";
import type { EnvironmentManifest, EnvironmentRecord, EnvironmentService } from "./environments.ts";

/** Holds that a service is still as it was read. */
export function serviceMustBe(
  { projectKey, envKey }: { projectKey: string; envKey: string },
  { name, version }: Item<EnvironmentService>,
): Write {
  return check(keys.environmentService(projectKey, envKey, name), mustHaveVersion(version));
}

/** Notes what a job brought into the cluster; what the service is remains as it was until the job concludes. */
export function recordDeployed(
  { projectKey, envKey }: { projectKey: string; envKey: string },
  service: string,
  before: Item<EnvironmentManifest>,
  set: Pick<EnvironmentManifest, "applied" | "deployedBy"> & Partial<Pick<EnvironmentManifest, "text">>,
): Write {
  const key = keys.environmentManifest(projectKey, envKey, service);
  return update(key, { set: { ...set } }, mustHaveVersion(before.version));
}

/** The place of a service that a job brings into the environment; fails when it is there. */
export function placeNewService(
  { projectKey, envKey }: { projectKey: string; envKey: string },
  service: EnvironmentService,
  manifest: EnvironmentManifest,
): Write[] {
  const { name } = service;
  return [
    create({ ...service, ...keys.environmentService(projectKey, envKey, name), type: "environment-service" }),
    create({ ...manifest, ...keys.environmentManifest(projectKey, envKey, name), type: "environment-manifest" }),
  ];
}

/** Says of a service why its first deployment failed; one that is another revision by now is left alone. */
export function failPlacedService(
  { projectKey, envKey }: { projectKey: string; envKey: string },
  service: string,
  revision: number,
  error: string,
): Write {
  const key = keys.environmentService(projectKey, envKey, service);
  return update(key, { set: { error } }, both(mustBeOneOf("revision", [revision]), mustBeOneOf("error", [""])));
}

/**
 * Makes a service what a job deployed, while what the job applied is the last that was applied of it. The job names the
 * service, so it stays no more where a rollback took it.
 */
export function concludeDeployed(
  { projectKey, envKey }: { projectKey: string; envKey: string },
  service: Item<EnvironmentService>,
  set: Partial<EnvironmentService>,
  manifest: { text: StoredText; deployedBy: string; version: number },
): Write[] {
  const { text, deployedBy, version } = manifest;
  return [
    update(
      keys.environmentService(projectKey, envKey, service.name),
      { set, unset: ["rolledBack", "test"] },
      mustHaveVersion(service.version),
    ),
    update(
      keys.environmentManifest(projectKey, envKey, service.name),
      { set: { text } },
      both(mustHaveVersion(version), mustBeOneOf("deployedBy", [deployedBy])),
    ),
  ];
}

/** Requires that an environment exists and is the one that was read, whatever is under way in it. */
export function environmentMustStand({ projectKey, envKey, environmentId }: EnvironmentRecord): Write {
  const same = mustBeOneOf("environmentId", [environmentId]);
  return check(keys.environment(projectKey, envKey), both(same, mustBeOneOf("status", statusesAccepting("delete"))));
}
