import { ownerKindOf, type QualityKind } from "../../../base/common/ownerKey.ts";
import { type ProjectAction, type SystemAction, systemNamespace } from "./actions.ts";
import type { Grants, TokenLimits } from "./grants.ts";
import { readVerbs } from "./policy.ts";

/**
 * Who may call an endpoint (contract I 13). Every declaration carries one.
 *
 * - `systemAdmin`: with `orProjectAdmin`, as for `systemVerb`, the administrators of any project, too.
 * - `public`: no token. - `authenticated`: any valid token. - `anyRole`: at least one role anywhere (decisions 3.3).
 * - `filtered`: any valid token; the answer holds only what the caller may read (contract I 4.7).
 * - `self`: the user named in the path. - `selfOrAdmin`: that user or a system administrator.
 * - `member`: any role in the project, also through a collaboration mode.
 * - `projectAdmin`: of the project; of the namespace `*` the system administrator.
 * - `verb`: one of the verbs in the project; `collaboration` adds grants on the named workflow or environment, or on any
 *   environment of the project.
 */
export type Permission =
  | PlainPermission
  | { kind: "systemAdmin"; orProjectAdmin?: true }
  | {
      kind: "systemVerb";
      verb: SystemAction;
      /** Administrators of any project too: which projects the request is about the use-case finds, and decides by them. */
      orProjectAdmin?: true;
      /** Holders of this in the project that the request may name, too: the use-case looks there. */
      orInProject?: ProjectAction;
    }
  | {
      kind: "verb";
      verbs: readonly ProjectAction[];
      /** Where one path serves both kinds of environment: the verbs for production, `verbs` being those for test. */
      productionVerbs?: readonly ProjectAction[];
      /** Where one path serves the tasks of workflows, tests and scans: the verbs for the latter, in place of `verbs`. */
      qualityVerbs?: Readonly<Record<QualityKind, readonly ProjectAction[]>>;
      collaboration?: "environment" | "anyEnvironment" | "workflow";
    };

type PlainKind =
  | "public"
  | "authenticated"
  | "anyRole"
  | "filtered"
  | "self"
  | "selfOrAdmin"
  | "member"
  | "projectAdmin";
type PlainPermission = { [K in PlainKind]: { kind: K } }[PlainKind];
type OfProject = Extract<Permission, { kind: "member" | "projectAdmin" | "verb" }>;

/** What is asked for: the permission that the endpoint's declaration carries, and whether anything changes by it. */
export interface Action {
  permission: Permission;
  mutates: boolean;
}

/** What a request addresses, as far as the decision needs it. */
export interface Scope {
  projectKey?: string;
  environment?: string;
  workflow?: string;
  /** Kind of the environment; absent while it is not known, and then the verbs of either kind suffice. */
  production?: boolean;
  /** uid in the path of a `self` endpoint. */
  uid?: string;
}

/**
 * Decides whether a caller may do it (contract I 4.2): what no rule allows is refused. Pure: no I/O, the same answer for
 * the same input. Nothing else in the product decides this.
 * @returns `undefined` when permitted, otherwise the sentence for the 403's description.
 */
export function refusal(action: Action, caller: { uid: string; grants: Grants }, scope: Scope): string | undefined {
  const { permission } = action;
  if (permission.kind === "public") return undefined;
  return tokenRefusal(action, caller.grants.limits, scope) ?? ownRefusal(permission, caller, scope);
}

/** What the user may do and this token of the user's may not (decisions 3.2). */
function tokenRefusal(
  { permission, mutates }: Action,
  limits: TokenLimits | undefined,
  scope: Scope,
): string | undefined {
  if (limits?.readOnly && mutates) return "this token may only read";
  if (limits?.projects === undefined) return undefined;
  const { kind } = permission;
  const isLookedAtLater = admitsProjectAdmins(permission) || admitsHolders(permission);
  if (kind === "authenticated" || kind === "filtered" || isLookedAtLater) return undefined;
  const inside = isOfProject(permission) && limits.projects.includes(scope.projectKey ?? "");
  return inside ? undefined : `this token is limited to ${limits.projects.join(", ") || "no project"}`;
}

function ownRefusal(
  permission: Permission,
  { uid, grants }: { uid: string; grants: Grants },
  scope: Scope,
): string | undefined {
  if (isOfProject(permission)) return grants.systemAdmin ? undefined : projectRefusal(permission, grants, scope);
  switch (permission.kind) {
    case "public":
    case "authenticated":
    case "filtered":
      return undefined;
    case "self":
      return uid === scope.uid ? undefined : "only the user itself may do this";
    case "selfOrAdmin":
      return uid === scope.uid || grants.systemAdmin
        ? undefined
        : "requires the user itself or the system administrator";
    case "anyRole":
      return grants.systemAdmin || grants.holdsRole ? undefined : "requires a role in at least one project";
    case "systemAdmin":
      return grants.systemAdmin
        ? undefined
        : unlessProjectAdmin("requires the system administrator", permission, grants);
    case "systemVerb":
      if (grants.systemAdmin || grants.systemVerbs.has(permission.verb) || admitsHolders(permission)) return undefined;
      return unlessProjectAdmin(`requires ${permission.verb} in the system`, permission, grants);
    default:
      return refuseUnknown(permission);
  }
}

function unlessProjectAdmin(sentence: string, permission: Permission, { projects }: Grants): string | undefined {
  if (!admitsProjectAdmins(permission)) return sentence;
  return [...projects.values()].some(({ admin }) => admin) ? undefined : `${sentence}, or the project administrator`;
}

/** Whether every project administrator comes as far as the use-case. */
export function admitsProjectAdmins(permission: Permission): boolean {
  const isOfSystem = permission.kind === "systemAdmin" || permission.kind === "systemVerb";
  return isOfSystem && permission.orProjectAdmin === true;
}

function admitsHolders(permission: Permission): boolean {
  return permission.kind === "systemVerb" && permission.orInProject !== undefined;
}

/** Ensures, for the compiler and at run time, that a kind of permission without a rule lets no one through. */
function refuseUnknown(_: never): string {
  return "nobody may do this";
}

function isOfProject(permission: Permission): permission is OfProject {
  return permission.kind === "member" || permission.kind === "projectAdmin" || permission.kind === "verb";
}

function projectRefusal(permission: OfProject, grants: Grants, scope: Scope): string | undefined {
  const { projectKey = "" } = scope;
  const held = grants.projects.get(projectKey);
  if (held?.admin) return undefined;
  switch (permission.kind) {
    case "projectAdmin":
      if (projectKey === systemNamespace) return "requires the system administrator";
      return `requires the project administrator of project ${projectKey}`;
    case "member":
      return held !== undefined || grants.readsEverything ? undefined : `requires a role in project ${projectKey}`;
    case "verb":
      return verbRefusal(permission, grants, scope);
    default:
      return refuseUnknown(permission);
  }
}

function verbRefusal(
  permission: Extract<Permission, { kind: "verb" }>,
  grants: Grants,
  scope: Scope,
): string | undefined {
  const { projectKey = "" } = scope;
  const verbs = verbsFor(permission, scope);
  const held = grants.projects.get(projectKey)?.verbs;
  if (verbs.some((verb) => held?.has(verb) || (grants.readsEverything && readVerbs.has(verb)))) return undefined;
  const granted = grants.collaborations.some(
    (grant) =>
      grant.projectKey === projectKey &&
      isAddressed(permission.collaboration, grant, scope) &&
      verbs.some((verb) => grant.verbs.includes(verb)),
  );
  return granted
    ? undefined
    : `requires ${verbs.join(" or ")} in ${projectKey === "" ? "its project" : `project ${projectKey}`}`;
}

function isAddressed(
  collaboration: Extract<Permission, { kind: "verb" }>["collaboration"],
  grant: Grants["collaborations"][number],
  scope: Scope,
): boolean {
  if (collaboration === undefined) return false;
  if (collaboration === "anyEnvironment") return grant.resource === "environment";
  return grant.resource === collaboration && grant.name === scope[collaboration];
}

function verbsFor(
  { verbs, productionVerbs, qualityVerbs }: Extract<Permission, { kind: "verb" }>,
  { production, workflow }: Scope,
): readonly ProjectAction[] {
  const ownerKind = ownerKindOf(workflow ?? "");
  if (qualityVerbs !== undefined && ownerKind !== "workflow") return qualityVerbs[ownerKind];
  if (productionVerbs === undefined || production === false) return verbs;
  return production ? productionVerbs : [...verbs, ...productionVerbs];
}
