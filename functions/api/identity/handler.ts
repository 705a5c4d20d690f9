import { createApi } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { isInitialized } from "../../../shared/store/identity/users.ts";
import { identityRoutes } from "./routes.ts";
import { signIn, signOut } from "./signIn.ts";
import { addUser, initialize, renewApiToken, viewPersonal } from "./users.ts";
import { created, personal, signedIn, tellLock, toFirstUser } from "./wire.ts";

const goodbye = { enable_redirect: false, redirect_url: "" };

export const handler = createApi(identityRoutes, {
  initializationStatus: async () => ({ initialized: await isInitialized() }),

  initializeUser: async ({ body, headers }) => {
    await initialize(toFirstUser(body), headers["x-bootstrap-secret"]);
    return success;
  },

  login: async ({ body, sourceAddress, setHeader, actAs }) => {
    setHeader("x-require-captcha", "false");
    const { user, token } = await signIn({ ...body, address: sourceAddress }).catch((error: unknown) => {
      throw tellLock(error, setHeader);
    });
    actAs(user);
    return signedIn(user, token);
  },

  logout: async ({ caller }) => {
    await signOut(caller.uid);
    return goodbye;
  },

  logoutByPost: async ({ caller }) => {
    await signOut(caller.uid);
    return goodbye;
  },

  createUser: async ({ body }) => created(await addUser(body)),

  createApiToken: async ({ params }) => ({ token: await renewApiToken(params.uid) }),

  getPersonal: async ({ params, caller, leaveNoOperationLog }) => {
    const { user, token } = await viewPersonal(params.uid);
    if (token === "") leaveNoOperationLog();
    return personal(user, token, caller.grants.systemAdmin);
  },
});
