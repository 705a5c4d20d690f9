import { createApi } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { isInitialized } from "../../../shared/store/identity/users.ts";
import { identityRoutes } from "./routes.ts";
import { SignInLocked, signIn, signOut } from "./signIn.ts";
import { addUser, initialize, renewApiToken, requireUser } from "./users.ts";

const goodbye = { enable_redirect: false, redirect_url: "" };

export const handler = createApi(identityRoutes, {
  initializationStatus: async () => ({ initialized: await isInitialized() }),

  initializeUser: async ({ body, headers }) => {
    const { username, password, email, phone } = body;
    const user = {
      account: username,
      name: username,
      password,
      email,
      phone: phone === undefined ? "" : String(phone),
    };
    await initialize(user, headers["x-bootstrap-secret"]);
    return success;
  },

  login: async ({ body, sourceAddress, setHeader, actAs }) => {
    setHeader("x-require-captcha", "false");
    const { user, token } = await signIn({ ...body, address: sourceAddress }).catch((error: unknown) => {
      if (error instanceof SignInLocked) {
        setHeader("x-require-captcha", "true");
        setHeader("retry-after", String(error.waitSeconds));
      }
      throw error;
    });
    actAs(user);
    const { identityType, ...rest } = user;
    return { ...rest, token, group_ids: [], identityType, mfa_required: false as const };
  },

  logout: async ({ caller }) => {
    await signOut(caller.uid);
    return goodbye;
  },

  logoutByPost: async ({ caller }) => {
    await signOut(caller.uid);
    return goodbye;
  },

  createUser: async ({ body }) => {
    const user = await addUser(body);
    return {
      ...user,
      identity_type: user.identityType,
      mfa_enabled: false as const,
      api_token: "" as const,
      api_token_enabled: user.apiTokenEnabled,
      created_at: user.createdAt,
      updated_at: user.updatedAt,
    };
  },

  createApiToken: async ({ params }) => ({ token: await renewApiToken(params.uid) }),

  getPersonal: async ({ params, caller, leaveNoOperationLog }) => {
    const user = await requireUser(params.uid);
    const first = user.apiTokenHash === undefined && user.apiTokenEnabled;
    if (!first) leaveNoOperationLog();
    const token = first ? await renewApiToken(user.uid) : "";
    const { systemAdmin } = caller.grants;
    const admin = { name: "admin", uid: user.uid, role: "admin", preset: true, type: "system" };
    return {
      ...user,
      token,
      last_login_time: user.lastLoginTime,
      identity_type: user.identityType,
      mfa_enabled: false as const,
      has_api_token: first || user.apiTokenHash !== undefined,
      api_token_enabled: user.apiTokenEnabled,
      user_groups: [],
      system_role_bindings: systemAdmin ? [admin] : [],
      admin: systemAdmin,
    };
  },
});
