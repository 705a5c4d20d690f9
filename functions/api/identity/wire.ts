import type { Grants } from "../../../shared/access/identity/rules/grants.ts";
import type { Session } from "../../../shared/access/identity/store/sessions.ts";
import type { ApiToken } from "../../../shared/access/identity/store/tokens.ts";
import type { User, UserSummary } from "../../../shared/access/identity/store/users.ts";
import { SignInLocked } from "./attempts.ts";
import type { ListedGroup } from "./listGroups.ts";
import type { UserSearch } from "./listUsers.ts";
import type { DescribedUser } from "./userInfo.ts";

type SetHeader = (name: string, value: string) => void;

interface FirstUserBody {
  username: string;
  password: string;
  email: string;
  phone?: number | undefined;
}

/** The first user's account is its name too (contract I 12). */
export function toFirstUser({ username, password, email, phone }: FirstUserBody) {
  return { account: username, name: username, password, email, phone: phone === undefined ? "" : String(phone) };
}

/** Lets clients that know captchas see that the account is locked. */
export function describeLock(error: unknown, setHeader: SetHeader): unknown {
  if (error instanceof SignInLocked) setHeader("x-require-captcha", "true");
  return error;
}

/** @param tokenHash of the request that lists it */
export function session({ sessionId, hash, createdAt, lastUsedAt, address, userAgent }: Session, tokenHash: string) {
  return {
    id: sessionId,
    created_at: Math.floor(createdAt),
    last_used_at: lastUsedAt,
    address,
    user_agent: userAgent,
    current: hash === tokenHash,
  };
}

export function created(user: User) {
  return {
    ...user,
    identity_type: user.identityType,
    mfa_enabled: false as const,
    api_token: "" as const,
    api_token_enabled: user.apiTokenEnabled,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
  };
}

export function brief({ uid, account, name, lastLoginTime, identityType }: UserSummary) {
  return { uid, account, name, last_login_time: lastLoginTime, identity_type: identityType };
}

export function detail(user: User) {
  return { ...brief(user), email: user.email, phone: user.phone };
}

/** A user as consoles know it (contract I 11, UserInfo); `token` is empty unless it was made for this answer. */
export function userInfo({ user, groups, roles, isSystemAdmin }: DescribedUser, token = "") {
  return {
    ...detail(user),
    token,
    mfa_enabled: user.secondFactorAt !== undefined,
    has_api_token: token !== "" || user.apiTokenHash !== undefined,
    api_token_enabled: user.apiTokenEnabled || isSystemAdmin,
    user_groups: groups.map((group) => ({ name: group.name, system_role_names: group.roles })),
    system_role_bindings: roles.map(({ name, kind }) => {
      return { name, uid: user.uid, role: name, preset: kind === "system", type: kind };
    }),
    admin: isSystemAdmin,
  };
}

interface SearchBody extends Pick<UserSearch, "name" | "account" | "email" | "phone" | "uids" | "roles"> {
  identity_type: string;
  projectName: string;
  order_by: UserSearch["orderBy"] | "";
  order: "asc" | "desc" | "";
}

export function toSearch({ identity_type, projectName, order_by, order, ...search }: SearchBody): UserSearch {
  return {
    ...search,
    identityType: identity_type,
    namespace: projectName,
    orderBy: order_by === "" ? "account" : order_by,
    descending: order === "desc",
  };
}

export function apiToken({ tokenId, name, scope, projects, expiresAt, lastUsedAt }: ApiToken) {
  return { id: tokenId, name, scope, projects: [...projects], expires_at: expiresAt ?? 0, last_used_at: lastUsedAt };
}

export function groupItem(group: ListedGroup, allUsersId: string) {
  const { groupId, name, description, userTotal, systemRoleNames } = group;
  return {
    id: groupId,
    name,
    description,
    type: groupId === allUsersId ? ("system" as const) : ("custom" as const),
    user_total: userTotal,
    system_role_names: systemRoleNames,
  };
}

/** What the caller holds in the installation (contract I 11). */
export function ownPermission({ systemAdmin, projects, systemVerbs }: Grants) {
  const administered = [...projects].filter(([, held]) => held.admin).map(([projectKey]) => projectKey);
  return {
    is_system_admin: systemAdmin,
    project_admin_list: administered.sort(),
    system_verbs: [...systemVerbs].sort(),
  };
}

/** What the caller holds in one project; verbs on single environments come from collaboration modes. */
export function ownProjectPermission({ systemAdmin, projects, collaborations }: Grants, projectKey: string) {
  const held = projects.get(projectKey);
  const verbsOn = (resource: "workflow" | "environment"): Record<string, string[]> => {
    const here = collaborations.filter((grant) => grant.projectKey === projectKey && grant.resource === resource);
    const names = [...new Set(here.map(({ name }) => name))].sort();
    return Object.fromEntries(
      names.map((name) => {
        const verbs = here.filter((grant) => grant.name === name).flatMap((grant) => grant.verbs);
        return [name, [...new Set(verbs)].sort()];
      }),
    );
  };
  return {
    is_system_admin: systemAdmin,
    is_project_admin: held?.admin ?? false,
    project_verbs: [...(held?.verbs ?? [])].sort(),
    workflow_verbs_map: verbsOn("workflow"),
    environment_verbs_map: verbsOn("environment"),
  };
}
