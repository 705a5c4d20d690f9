import { allUsersGroupId } from "./actions.ts";

/** Verbs that a collaboration mode may give on an environment (contract I 8.1). */
export const environmentVerbs = [
  "get_environment",
  "config_environment",
  "manage_environment",
  "debug_pod",
  "restart_environment",
  "rollback_environment",
  "scale_environment",
  "get_production_environment",
  "config_production_environment",
  "edit_production_environment",
  "production_debug_pod",
  "restart_production_environment",
  "rollback_production_environment",
  "scale_production_environment",
] as const;

export type EnvironmentVerb = (typeof environmentVerbs)[number];

/** An environment of a mode: `share` gives the verbs on it, `new` on a copy that each member gets. */
export interface SharedEnvironment {
  name: string;
  type: "share" | "new";
  verbs: readonly EnvironmentVerb[];
}

/** Verbs that a collaboration mode may give on a workflow (contract I 8.1). */
export const workflowVerbs = ["get_workflow", "edit_workflow", "run_workflow", "debug_workflow"] as const;

/** A workflow of a mode, by its key; absent in modes that were made before there were copies, which share. */
export interface SharedWorkflow {
  name: string;
  type?: "share" | "new";
  verbs: readonly (typeof workflowVerbs)[number][];
}

/** A collaboration mode of a project, as the decision needs it. */
export interface CollaborationMode {
  name: string;
  projectKey: string;
  /** uids; `*` is everybody. */
  userIds: readonly string[];
  groupIds: readonly string[];
  /** Days without a visit after which a member's copies go; 0: never. */
  recycleDay: number;
  environments: readonly SharedEnvironment[];
  /** Absent in modes that were made before there were workflows. */
  workflows?: readonly SharedWorkflow[];
  /** uid → what it is made from, as `nameOfShared` names it → the copy. */
  copies: Readonly<Record<string, Readonly<Record<string, Copy>>>>;
}

export type SharedResource = "workflow" | "environment";

/** An environment by its name, or a workflow as `workflow/<key>`: what modes make copies of, and the copies. */
export function nameOfShared(resource: SharedResource, name: string): string {
  return resource === "workflow" ? `workflow/${name}` : name;
}

/** The other way round. */
export function sharedOfName(text: string): { resource: SharedResource; name: string } {
  const [before, key] = text.split("/");
  return key === undefined ? { resource: "environment", name: before ?? "" } : { resource: "workflow", name: key };
}

/** A member's own copy; its name is taken before it is made. */
export interface Copy {
  name: string;
  /** When it was last tried to make it: Unix seconds. */
  triedAt: number;
  /** When its member was last seen in the project, noted once an hour: Unix seconds; absent: not since it was made. */
  visitedAt?: number;
}

const secondsOfDay = 86_400;

/** When a copy goes unless its member comes: Unix seconds; undefined: never. */
export function goesAt({ recycleDay }: CollaborationMode, { visitedAt, triedAt }: Copy): number | undefined {
  return recycleDay === 0 ? undefined : (visitedAt ?? triedAt) + recycleDay * secondsOfDay;
}

/** Verbs on one workflow or environment given by a collaboration mode (contract I 8.3). */
export interface CollaborationGrant {
  projectKey: string;
  resource: SharedResource;
  name: string;
  verbs: readonly string[];
  /** It is the member's own copy. */
  isCopy: boolean;
  /** Of a copy that goes without visits: when the last one was noted (Unix seconds). */
  visitedAt?: number;
}

interface Member {
  uid: string;
  groupIds: readonly string[];
}

/** Whether a mode names a user: by uid, by a group, or as everybody. */
export function includes(mode: Pick<CollaborationMode, "userIds" | "groupIds">, { uid, groupIds }: Member): boolean {
  const everybody = mode.userIds.includes("*") || mode.groupIds.includes(allUsersGroupId);
  return everybody || mode.userIds.includes(uid) || mode.groupIds.some((id) => groupIds.includes(id));
}

/** What a mode gives to one of its members; a copy without a name yet gives nothing. */
export function grantsOfMode(mode: CollaborationMode, { uid }: Member): CollaborationGrant[] {
  const { projectKey } = mode;
  const copies = copiesOf(mode, uid);
  return resourcesOf(mode).flatMap(({ resource, name, type, verbs }) => {
    const grant = { projectKey, resource, verbs };
    if (type === "share") return { ...grant, name, isCopy: false };
    const copy = copies.get(nameOfShared(resource, name));
    if (copy === undefined) return [];
    const visited = mode.recycleDay === 0 ? {} : { visitedAt: copy.visitedAt ?? copy.triedAt };
    return { ...grant, name: copy.name, isCopy: true, ...visited };
  });
}

interface ResourceOfMode {
  resource: SharedResource;
  name: string;
  type: "share" | "new";
  verbs: readonly string[];
}

/** What a mode is about, workflows first. */
export function resourcesOf({ workflows = [], environments }: CollaborationMode): ResourceOfMode[] {
  return [
    ...workflows.map((one) => ({ type: "share" as const, ...one, resource: "workflow" as const })),
    ...environments.map((one) => ({ ...one, resource: "environment" as const })),
  ];
}

/** Of what a mode gives one of its members copies that have no name yet. */
export function lackedCopies(mode: CollaborationMode, { uid }: Member): SharedResource[] {
  const copies = copiesOf(mode, uid);
  return resourcesOf(mode)
    .filter(({ type, resource, name }) => type === "new" && !copies.has(nameOfShared(resource, name)))
    .map(({ resource }) => resource);
}

/** A member's copies by what they are made from. */
export function copiesOf({ copies }: CollaborationMode, uid: string): ReadonlyMap<string, Copy> {
  return new Map(Object.hasOwn(copies, uid) ? Object.entries(copies[uid] ?? {}) : []);
}
