import type { Grants } from "./grants.ts";
import { refusal } from "./permission.ts";

interface Asking {
  uid: string;
  grants: Grants;
}

/**
 * Whether the caller may see the values of Secrets of an environment (decisions 17.5): by config_environment or
 * config_production_environment, also through a collaboration mode.
 */
export function mayReadSecrets(
  caller: Asking,
  { projectKey, envKey, production }: { projectKey: string; envKey: string; production: boolean },
): boolean {
  const verbs = [production ? "config_production_environment" : "config_environment"] as const;
  const action = { permission: { kind: "verb", verbs, collaboration: "environment" }, mutates: false } as const;
  return refusal(action, caller, { projectKey, environment: envKey }) === undefined;
}

/**
 * Whether the caller may see the values of Secrets in the text of a service (decisions 17.5): by edit_service or
 * edit_production_service.
 */
export function mayReadServiceSecrets(caller: Asking, projectKey: string, kind: "test" | "production"): boolean {
  const verbs = [kind === "production" ? "edit_production_service" : "edit_service"] as const;
  return refusal({ permission: { kind: "verb", verbs }, mutates: false }, caller, { projectKey }) === undefined;
}
