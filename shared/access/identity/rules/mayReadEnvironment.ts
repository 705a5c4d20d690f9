import type { Grants } from "./grants.ts";
import { refusal } from "./permission.ts";

/** Whether the caller may see an environment of its kind (contract P 4.1, I 4.7). */
export function mayReadEnvironment(
  caller: { uid: string; grants: Grants },
  projectKey: string,
  { envKey, production }: { envKey: string; production: boolean },
): boolean {
  const verbs = [production ? "get_production_environment" : "get_environment"] as const;
  const action = { permission: { kind: "verb", verbs, collaboration: "environment" }, mutates: false } as const;
  return refusal(action, caller, { projectKey, environment: envKey }) === undefined;
}
