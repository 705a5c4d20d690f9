import { projectAdminRole, readOnlyActions } from "./actions.ts";

/** A role as the decision needs it. */
export interface PolicyRole {
  name: string;
  verbs: readonly string[];
}

/**
 * The roles of one namespace (a project, or `*` for the installation) by id, and those that groups hold there. A binding
 * to an id that is not here gives nothing: a role that was deleted is gone for everybody in the same moment.
 */
export interface Policy {
  namespace: string;
  roles: Readonly<Record<string, PolicyRole>>;
  /** Group id → role ids. */
  groups: Readonly<Record<string, readonly number[]>>;
}

/** What one user was bound to in a namespace. */
export interface Binding {
  namespace: string;
  roleIds: readonly number[];
}

/** Ids of the roles that the named groups hold together. */
export function rolesOfGroups({ groups }: Policy, groupIds: Iterable<string>): number[] {
  return [...groupIds].flatMap((id) => (Object.hasOwn(groups, id) ? (groups[id] ?? []) : []));
}

/** The roles that still exist among the bound ones, each once. */
export function standingRoles({ roles }: Policy, roleIds: Iterable<number>): PolicyRole[] {
  return [...new Set(roleIds)].flatMap((id) => roles[String(id)] ?? []);
}

/** What roles of a project give together; none of them is a stranger's (contract I 4.2 step 3). */
export function heldInProject(roles: readonly PolicyRole[]): { admin: boolean; verbs: Set<string> } | undefined {
  if (roles.length === 0) return undefined;
  return {
    admin: roles.some(({ name }) => name === projectAdminRole),
    verbs: new Set(roles.flatMap(({ verbs }) => verbs)),
  };
}

/** Verbs that reading takes, in every project. */
export const readVerbs: ReadonlySet<string> = new Set(readOnlyActions);
