import { allUsersGroupId, globalReadOnlyRole, systemAdminRole, systemNamespace } from "./actions.ts";
import {
  type CollaborationGrant,
  type CollaborationMode,
  grantsOfMode,
  includes,
  lackedCopies,
  type SharedResource,
} from "./collaboration.ts";
import { type Binding, heldInProject, type Policy, readVerbs, rolesOfGroups, standingRoles } from "./policy.ts";

/** What a token may do less than its user (decisions 3.2). */
export interface TokenLimits {
  readOnly?: boolean;
  /** Project keys; absent: all. */
  projects?: readonly string[];
}

/** Limits of a token that go on with what it starts or saves (decisions 17.7). */
export interface KeptLimits extends TokenLimits {
  /** Unix seconds when the token ends; absent: never. */
  expiresAt?: number;
}

/** What both leave; undefined where neither limits anything. */
export function joinLimits(a: KeptLimits | undefined, b: KeptLimits | undefined): KeptLimits | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const ends = [a.expiresAt, b.expiresAt].filter((end) => end !== undefined);
  const projects = a.projects?.filter((key) => b.projects?.includes(key) ?? true) ?? b.projects;
  return {
    ...((a.readOnly || b.readOnly) && { readOnly: true }),
    ...(projects !== undefined && { projects }),
    ...(ends.length > 0 && { expiresAt: Math.min(...ends) }),
  };
}

/** Everything a caller holds, as the decision needs it. */
export interface Grants {
  systemAdmin: boolean;
  /** Holds the role that reads every project. */
  readsEverything: boolean;
  /** Holds a role anywhere, also one without verbs. */
  holdsRole: boolean;
  systemVerbs: ReadonlySet<string>;
  /** Project key → what the caller holds there; a key that is present makes the caller a member. */
  projects: ReadonlyMap<string, ProjectGrant>;
  collaborations: readonly CollaborationGrant[];
  /** Of what collaboration modes give the caller copies that have no name yet. */
  lacksCopies: readonly SharedResource[];
  limits?: TokenLimits;
}

export interface ProjectGrant {
  admin: boolean;
  verbs: ReadonlySet<string>;
}

export const noGrants: Grants = {
  systemAdmin: false,
  readsEverything: false,
  holdsRole: false,
  systemVerbs: new Set(),
  projects: new Map(),
  collaborations: [],
  lacksCopies: [],
};

/** System administrators administer every project. */
export function administersProject({ systemAdmin, projects }: Grants, projectKey: string): boolean {
  return systemAdmin || projects.get(projectKey)?.admin === true;
}

/** A user with everything that was stored of what the user holds. */
export interface Holder {
  uid: string;
  /** The groups that the user was put into. */
  groupIds: readonly string[];
  bindings: readonly Binding[];
  policies: readonly Policy[];
  /** Collaboration modes of the projects in question, the user's and others. */
  modes?: readonly CollaborationMode[];
  limits?: TokenLimits;
}

/**
 * Joins the roles of a user, of the user's groups and of the group of all users (contract I 4.2 steps 1 to 4), and what
 * collaboration modes give. The group of all users never makes a system administrator.
 */
export function joinGrants(holder: Holder): Grants {
  const projects = new Map(projectGrants(holder));
  const members = (holder.modes ?? []).filter((mode) => includes(mode, holder));
  for (const { projectKey } of members)
    if (!projects.has(projectKey)) projects.set(projectKey, { admin: false, verbs: new Set() });
  const system = systemGrants(holder);
  const joined: Grants = {
    ...system,
    holdsRole: system.holdsRole || projects.size > 0,
    projects,
    collaborations: members.flatMap((mode) => grantsOfMode(mode, holder)),
    lacksCopies: members.flatMap((mode) => lackedCopies(mode, holder)),
  };
  return holder.limits === undefined ? joined : limited(joined, holder.limits);
}

function projectGrants({ groupIds, bindings, policies }: Holder): [string, ProjectGrant][] {
  return policies.flatMap((policy): [string, ProjectGrant][] => {
    if (policy.namespace === systemNamespace) return [];
    const ids = [...boundIds(bindings, policy), ...rolesOfGroups(policy, [...groupIds, allUsersGroupId])];
    const held = heldInProject(standingRoles(policy, ids));
    return held === undefined ? [] : [[policy.namespace, held]];
  });
}

function systemGrants({ groupIds, bindings, policies }: Holder) {
  const policy = policies.find(({ namespace }) => namespace === systemNamespace);
  if (policy === undefined) return noGrants;
  const own = standingRoles(policy, [...boundIds(bindings, policy), ...rolesOfGroups(policy, groupIds)]);
  const everybodys = standingRoles(policy, rolesOfGroups(policy, [allUsersGroupId]));
  const all = [...own, ...everybodys.filter(({ name }) => name !== systemAdminRole)];
  return {
    systemAdmin: own.some(({ name }) => name === systemAdminRole),
    readsEverything: all.some(({ name }) => name === globalReadOnlyRole),
    holdsRole: all.length > 0,
    systemVerbs: new Set(all.flatMap(({ verbs }) => verbs)),
  };
}

function boundIds(bindings: readonly Binding[], { namespace }: Policy): number[] {
  return bindings.flatMap((binding) => (binding.namespace === namespace ? binding.roleIds : []));
}

/** A token limited to projects holds nothing outside them; an administrator's administers those. */
function limited(grants: Grants, limits: TokenLimits): Grants {
  if (limits.projects === undefined) return { ...grants, limits };
  const inside = new Set(limits.projects);
  const all: ProjectGrant = { admin: grants.systemAdmin, verbs: grants.readsEverything ? readVerbs : new Set() };
  const everywhere = grants.systemAdmin || grants.readsEverything;
  const projects = [...inside].flatMap((projectKey): [string, ProjectGrant][] => {
    const held = grants.projects.get(projectKey);
    if (!everywhere) return held === undefined ? [] : [[projectKey, held]];
    const verbs = new Set([...all.verbs, ...(held?.verbs ?? [])]);
    return [[projectKey, { admin: all.admin || held?.admin === true, verbs }]];
  });
  return {
    ...noGrants,
    holdsRole: projects.length > 0,
    projects: new Map(projects),
    collaborations: grants.collaborations.filter(({ projectKey }) => inside.has(projectKey)),
    limits,
  };
}
