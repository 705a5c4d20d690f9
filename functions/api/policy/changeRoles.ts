import { predefinedProjectRoles, predefinedSystemRoles } from "../../../shared/access/identity/rules/actions.ts";
import { unknownVerbs } from "../../../shared/access/identity/rules/definitions.ts";
import {
  replacePolicy,
  type StoredPolicy,
  type StoredRole,
  takeRoleIds,
} from "../../../shared/access/identity/store/policies.ts";
import { badRequest, type Problem } from "../../../shared/base/errors/apiError.ts";
import { retryOnConflict } from "../../../shared/base/store/retryOnConflict.ts";
import { table } from "../../../shared/base/store/table.ts";
import { requirePolicy, roleMissing } from "./readRoles.ts";

/** Every request to a project reads all its roles. */
const maxRoles = 100;
const reserved = [...Object.keys(predefinedProjectRoles), ...Object.keys(predefinedSystemRoles)];

/** @throws ApiError 404 for an unknown namespace; 400 for a name that is taken or reserved and for unknown verbs */
export async function createRole(
  namespace: string,
  wanted: { name: string; verbs: readonly string[]; description: string },
): Promise<void> {
  const { name, verbs, description } = wanted;
  requireKnownVerbs(namespace, verbs);
  const id = await takeRoleIds(1);
  await retryOnConflict(async () => {
    const policy = await requirePolicy(namespace);
    requireFree(policy, name);
    const role: StoredRole = { name, description, kind: "custom", verbs: [...new Set(verbs)] };
    await table().write(replacePolicy(policy, { roles: { ...policy.roles, [id]: role } }));
  });
}

/**
 * Replaces the verbs of a role for everybody who holds it, from the next request on; a description is changed when one is
 * given (contract I 6.6). @throws ApiError 404; 400 for a system role and for unknown verbs
 */
export async function updateRole(
  namespace: string,
  name: string,
  wanted: { verbs: readonly string[]; description: string },
): Promise<void> {
  requireKnownVerbs(namespace, wanted.verbs);
  await retryOnConflict(async () => {
    const policy = await requirePolicy(namespace);
    const [id, before] = roleNamed(policy, name) ?? [];
    if (id === undefined || before === undefined) throw roleMissing(namespace, name);
    if (before.kind === "system") throw refuse("path", "name", `can't update system role: ${name}`);
    const description = wanted.description === "" ? before.description : wanted.description;
    const role: StoredRole = { ...before, description, verbs: [...new Set(wanted.verbs)] };
    await table().write(replacePolicy(policy, { roles: { ...policy.roles, [id]: role } }));
  });
}

/**
 * Deletes a role; users and groups that were bound to it no longer hold it, because bindings name an id that is gone.
 * An unknown one is left alone (contract I 6.7). @throws ApiError 400 for a system role
 */
export async function deleteRole(namespace: string, name: string): Promise<void> {
  await retryOnConflict(async () => {
    const policy = await requirePolicy(namespace);
    const [id, before] = roleNamed(policy, name) ?? [];
    if (id === undefined || before === undefined) return;
    if (before.kind === "system") throw refuse("path", "name", `can't delete system role: ${name}`);
    const roles = Object.fromEntries(Object.entries(policy.roles).filter(([other]) => other !== id));
    const groups = Object.entries(policy.groups).map(([groupId, ids]): [string, number[]] => [
      groupId,
      ids.filter((other) => other !== Number(id)),
    ]);
    await table().write(replacePolicy(policy, { roles, groups: Object.fromEntries(groups) }));
  });
}

/** The role with this name, and its id. */
export function roleNamed({ roles }: StoredPolicy, name: string): [string, StoredRole] | undefined {
  return Object.entries(roles).find(([, role]) => role.name === name);
}

function requireKnownVerbs(namespace: string, verbs: readonly string[]): void {
  const unknown = new Set(unknownVerbs(namespace, verbs));
  const problems = verbs.flatMap((verb, at): Problem[] =>
    unknown.has(verb) ? [{ in: "body", path: `actions[${at}]`, problem: `unknown action ${verb}` }] : [],
  );
  if (problems.length > 0) throw badRequest(problems);
}

/** Names that differ only by case are the same (contract I 5.5). */
function requireFree({ roles }: StoredPolicy, name: string): void {
  const same = (other: string): boolean => other.toLowerCase() === name.toLowerCase();
  const taken = Object.values(roles).find((role) => same(role.name));
  if (taken !== undefined) throw refuse("body", "name", `role ${taken.name} already exists`);
  if (reserved.some(same)) throw refuse("body", "name", `role ${name} is a name of the system's own roles`);
  if (Object.values(roles).filter(({ kind }) => kind === "custom").length >= maxRoles)
    throw refuse("body", "name", `there are ${maxRoles} roles, which is the limit`);
}

function refuse(place: "path" | "body", path: string, problem: string) {
  return badRequest([{ in: place, path, problem }]);
}
