import { projectAdminRole, systemAdminRole, systemNamespace } from "./actions.ts";

/** What one subject (a user or a group) holds in one namespace: role name → verbs of that role. */
export interface NamespaceGrant {
  namespace: string;
  roles: Readonly<Record<string, readonly string[]>>;
}

/** Verbs on one workflow or environment given by a collaboration mode (contract I 8.3). */
export interface CollaborationGrant {
  projectKey: string;
  resource: "workflow" | "environment";
  name: string;
  verbs: readonly string[];
}

/** Everything a caller holds, as the decision needs it. */
export interface Grants {
  systemAdmin: boolean;
  systemVerbs: ReadonlySet<string>;
  /** Project key → what the caller holds there; a key that is present makes the caller a member. */
  projects: ReadonlyMap<string, ProjectGrant>;
  collaborations: readonly CollaborationGrant[];
}

export interface ProjectGrant {
  admin: boolean;
  verbs: ReadonlySet<string>;
}

export const noGrants: Grants = {
  systemAdmin: false,
  systemVerbs: new Set(),
  projects: new Map(),
  collaborations: [],
};

/**
 * Joins the roles of a user, of the user's explicit groups and of the group of all users (contract I 4.2 steps 1 to 4).
 * The group of all users never makes a system administrator and gives no system verbs.
 */
export function joinGrants(
  own: readonly NamespaceGrant[],
  allUsers: readonly NamespaceGrant[],
  collaborations: readonly CollaborationGrant[] = [],
): Grants {
  let systemAdmin = false;
  const systemVerbs = new Set<string>();
  const projects = new Map<string, { admin: boolean; verbs: Set<string> }>();
  const addProject = ({ namespace, roles }: NamespaceGrant): void => {
    const project = projects.get(namespace) ?? { admin: false, verbs: new Set<string>() };
    for (const [role, verbs] of Object.entries(roles)) {
      if (role === projectAdminRole) project.admin = true;
      else for (const verb of verbs) project.verbs.add(verb);
    }
    projects.set(namespace, project);
  };
  for (const grant of own) {
    if (grant.namespace !== systemNamespace) {
      addProject(grant);
      continue;
    }
    if (Object.hasOwn(grant.roles, systemAdminRole)) systemAdmin = true;
    for (const verbs of Object.values(grant.roles)) for (const verb of verbs) systemVerbs.add(verb);
  }
  for (const grant of allUsers) if (grant.namespace !== systemNamespace) addProject(grant);
  return { systemAdmin, systemVerbs, projects, collaborations };
}
