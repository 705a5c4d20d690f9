import type { Handlers } from "../../../shared/http/createApi.ts";
import { signedIn } from "../../../shared/http/loginAnswer.ts";
import { success } from "../../../shared/http/schemas.ts";
import { removeLoginToken } from "../../../shared/identity/store/tokens.ts";
import { isInitialized } from "../../../shared/identity/store/users.ts";
import type { sessionRoutes } from "./sessionRoutes.ts";
import { signIn } from "./signIn.ts";
import { initialize } from "./users.ts";
import { tellLock, toFirstUser } from "./wire.ts";

const goodbye = { enable_redirect: false, redirect_url: "" };

export const sessionHandlers: Handlers<typeof sessionRoutes> = {
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
    await removeLoginToken(caller.uid);
    return goodbye;
  },

  logoutByPost: async ({ caller }) => {
    await removeLoginToken(caller.uid);
    return goodbye;
  },
};
