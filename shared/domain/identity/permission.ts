import type { ProjectAction, SystemAction } from "./actions.ts";
import type { Grants } from "./grants.ts";

/**
 * Who may call an endpoint (contract I 13). Every declaration carries one.
 *
 * - `public`: no token. - `authenticated`: any valid token. - `anyRole`: at least one role anywhere (decisions 3.3).
 * - `filtered`: any valid token; the answer holds only what the caller may read (contract I 4.7).
 * - `self`: the user named in the path. - `member`: any role in the project, also through a collaboration mode.
 * - `verb`: one of the verbs in the project; `collaboration` adds grants on the named workflow or environment.
 */
export type Permission =
  | PlainPermission
  | { kind: "systemVerb"; verb: SystemAction }
  | {
      kind: "verb";
      verbs: readonly ProjectAction[];
      /** Where one path serves both kinds of environment: the verbs for production, `verbs` being those for test. */
      productionVerbs?: readonly ProjectAction[];
      collaboration?: "environment" | "workflow";
    };

type PlainKind =
  | "public"
  | "authenticated"
  | "anyRole"
  | "filtered"
  | "systemAdmin"
  | "self"
  | "member"
  | "projectAdmin";
type PlainPermission = { [K in PlainKind]: { kind: K } }[PlainKind];

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
 * Decides whether a caller may do it (contract I 4.2). Pure: no I/O, the same answer for the same input.
 * @returns `undefined` when permitted, otherwise the sentence for the 403's description.
 */
export function refusal(
  permission: Permission,
  caller: { uid: string; grants: Grants },
  scope: Scope,
): string | undefined {
  const { grants } = caller;
  if (permission.kind === "self") return caller.uid === scope.uid ? undefined : "only the user itself may do this";
  if (permission.kind === "public" || permission.kind === "authenticated" || permission.kind === "filtered")
    return undefined;
  if (grants.systemAdmin) return undefined;
  if (permission.kind === "systemAdmin") return "requires the system administrator";
  if (permission.kind === "systemVerb")
    return grants.systemVerbs.has(permission.verb) ? undefined : `requires ${permission.verb} in the system`;
  if (permission.kind === "anyRole") {
    const holdsOne = grants.projects.size > 0 || grants.systemVerbs.size > 0;
    return holdsOne ? undefined : "requires a role in at least one project";
  }
  return projectRefusal(permission, grants, scope);
}

function projectRefusal(
  permission: Extract<Permission, { kind: "member" | "projectAdmin" | "verb" }>,
  grants: Grants,
  scope: Scope,
): string | undefined {
  const projectKey = scope.projectKey ?? "";
  const held = grants.projects.get(projectKey);
  if (held?.admin) return undefined;
  const collaborations = grants.collaborations.filter((grant) => grant.projectKey === projectKey);
  if (permission.kind === "projectAdmin") return `requires the project administrator of project ${projectKey}`;
  if (permission.kind === "member")
    return held || collaborations.length > 0 ? undefined : `requires a role in project ${projectKey}`;
  const verbs = verbsFor(permission, scope.production);
  if (verbs.some((verb) => held?.verbs.has(verb))) return undefined;
  const name = permission.collaboration ? scope[permission.collaboration] : undefined;
  const granted = collaborations.some(
    (grant) =>
      grant.resource === permission.collaboration &&
      grant.name === name &&
      verbs.some((verb) => grant.verbs.includes(verb)),
  );
  return granted ? undefined : `requires ${verbs.join(" or ")} in project ${projectKey}`;
}

function verbsFor(
  { verbs, productionVerbs }: Extract<Permission, { kind: "verb" }>,
  production: boolean | undefined,
): readonly ProjectAction[] {
  if (productionVerbs === undefined || production === false) return verbs;
  return production ? productionVerbs : [...verbs, ...productionVerbs];
}
