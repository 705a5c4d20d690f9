import { systemAdminRole } from "../../../shared/domain/identity/actions.ts";
import type { User } from "../../../shared/store/identity/users.ts";
import { SignInLocked } from "./signIn.ts";

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

/** Lets clients that know captchas and those that know `Retry-After` see that the account is locked. */
export function tellLock(error: unknown, setHeader: SetHeader): unknown {
  if (error instanceof SignInLocked) {
    setHeader("x-require-captcha", "true");
    setHeader("retry-after", String(error.waitSeconds));
  }
  return error;
}

export function signedIn({ identityType, ...user }: User, token: string) {
  return { ...user, token, group_ids: [], identityType, mfa_required: false as const };
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

/** The own record (contract I 11, UserInfo); `token` is empty unless it was made for this answer. */
export function personal(user: User, token: string, isSystemAdmin: boolean) {
  const binding = { name: systemAdminRole, uid: user.uid, role: systemAdminRole, preset: true, type: "system" };
  return {
    ...user,
    token,
    last_login_time: user.lastLoginTime,
    identity_type: user.identityType,
    mfa_enabled: false as const,
    has_api_token: token !== "" || user.apiTokenHash !== undefined,
    api_token_enabled: user.apiTokenEnabled,
    user_groups: [],
    system_role_bindings: isSystemAdmin ? [binding] : [],
    admin: isSystemAdmin,
  };
}
