import type { NamespaceGrant } from "../../shared/domain/identity/grants.ts";
import type { ExpectedPermission } from "./expectedPermissions.ts";

const systemVerbs = ["get_log_operation"];

/** Contract I 4.2 over the table of expectations, written without the decision that the product makes. */
export function isAllowed(
  { allow }: ExpectedPermission,
  held: readonly NamespaceGrant[],
  request: { project: string; isSelf: boolean },
): boolean {
  const rights = [allow].flat();
  const holds = (right: string): boolean => rights.includes(right);
  if (holds("public") || holds("any") || holds("filtered")) return true;
  if (holds("self")) return request.isSelf;
  const rolesIn = (namespace: string) =>
    held.filter((grant) => grant.namespace === namespace).map(({ roles }) => roles);
  if (rolesIn("*").some((roles) => "admin" in roles)) return true;
  if (holds("role")) return held.length > 0;
  if (holds("SA")) return false;
  if (rights.some((right) => systemVerbs.includes(right)))
    return rolesIn("*").some((roles) => Object.values(roles).flat().some(holds));
  const here = rolesIn(request.project);
  if (here.some((roles) => "project-admin" in roles)) return true;
  if (holds("M")) return here.length > 0;
  return here.some((roles) => Object.values(roles).flat().some(holds));
}
