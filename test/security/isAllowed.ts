import type { TokenLimits } from "../../shared/access/identity/rules/grants.ts";
import type { HeldRoles } from "../harness/giveRoles.ts";
import type { ExpectedPermission } from "./expectedPermissions.ts";

const systemVerbs = [
  ...["get_log_operation", "edit_config_release_plan", "delivery_get", "release_get"],
  ...["get_release_plan", "create_release_plan", "delete_release_plan"],
];

/** What a caller holds and how the caller comes. */
export interface Standing {
  held: readonly HeldRoles[];
  /** Verbs on one environment of the project, by a collaboration mode. */
  shared?: { environment: string; verbs: readonly string[] };
  limits?: TokenLimits;
}

/** What is asked for, as far as permissions look at it. */
export interface Asked {
  project: string;
  environment: string;
  isSelf: boolean;
  changes: boolean;
}

/** Contract I 4.2 and decisions 3.2 over the table of expectations, written without the decision that the product makes. */
export function isAllowed(expected: ExpectedPermission, { held, shared, limits }: Standing, asked: Asked): boolean {
  const rights = [expected.allow].flat();
  const holds = (right: string): boolean => rights.includes(right);
  if (holds("public")) return true;
  if (limits?.readOnly && asked.changes) return false;
  const isOpen = holds("any") || holds("filtered");
  if (limits?.projects !== undefined && !isOpen && !holds("PA of any"))
    if ((expected.project ?? expected.workflow) === undefined || !limits.projects.includes(asked.project)) return false;
  if (isOpen) return true;
  if (holds("self")) return asked.isSelf;
  if (holds("SA or self") && asked.isSelf) return true;
  const rolesIn = (namespace: string) =>
    held.filter((grant) => grant.namespace === namespace).map(({ roles }) => roles);
  if (rolesIn("*").some((roles) => "admin" in roles)) return true;
  if (holds("PA of any") && held.some(({ roles }) => "project-admin" in roles)) return true;
  if (holds("role")) return held.length > 0 || shared !== undefined;
  if (holds("SA") || holds("SA or self")) return false;
  if (rights.some((right) => systemVerbs.includes(right)))
    return rolesIn("*").some((roles) => Object.values(roles).flat().some(holds));
  const here = rolesIn(asked.project);
  if (here.some((roles) => "project-admin" in roles)) return true;
  const readsEverything = rolesIn("*").some((roles) => "global-read-only" in roles);
  if (holds("M")) return here.length > 0 || shared !== undefined || readsEverything;
  if (readsEverything && rights.some((right) => right.startsWith("get_"))) return true;
  if (here.some((roles) => Object.values(roles).flat().some(holds))) return true;
  if (shared === undefined || expected.collaboration === undefined) return false;
  const isShared = expected.collaboration === "any" || shared.environment === asked.environment;
  return isShared && shared.verbs.some(holds);
}
