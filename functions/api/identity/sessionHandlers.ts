import { decryptPassword, readLoginPublicKey } from "../../../shared/access/identity/session/loginKey.ts";
import { endSession, listSessions } from "../../../shared/access/identity/store/sessions.ts";
import { sessionIdOf } from "../../../shared/access/identity/store/tokens.ts";
import { isInitialized } from "../../../shared/access/identity/store/users.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { userAgentIn } from "../../../shared/http/headersOf.ts";
import { signedIn } from "../../../shared/http/loginAnswer.ts";
import { success } from "../../../shared/http/schemas.ts";
import { requireUser } from "./changeUsers.ts";
import type { sessionRoutes } from "./sessionRoutes.ts";
import { signIn } from "./signIn.ts";
import { initialize } from "./users.ts";
import { describeLock, session, toFirstUser } from "./wire.ts";

const goodbye = { enable_redirect: false, redirect_url: "" };

export const sessionHandlers: Handlers<typeof sessionRoutes> = {
  initializationStatus: async () => ({ initialized: await isInitialized() }),

  initializeUser: async ({ body, headers }) => {
    await initialize(toFirstUser(body), headers["x-bootstrap-secret"]);
    return success;
  },

  getLoginKey: async () => ({ publicKey: await readLoginPublicKey() }),

  login: async ({ body, sourceAddress, headers, setHeader, actAs }) => {
    setHeader("x-require-captcha", "false");
    const { account, encrypted_key, ...sent } = body;
    const password = encrypted_key === "" ? sent.password : await decryptPassword(encrypted_key, sent.password);
    const { user, token, mustEnrol } = await signIn({
      ...{ account, password },
      code: body.mfa_code,
      address: sourceAddress,
      userAgent: userAgentIn(headers),
    }).catch((error: unknown) => {
      throw describeLock(error, setHeader);
    });
    actAs(user);
    return signedIn(user, token, mustEnrol);
  },

  logout: async ({ caller, tokenHash }) => {
    await endSession(caller.uid, sessionIdOf(tokenHash));
    return goodbye;
  },

  logoutByPost: async ({ caller, tokenHash }) => {
    await endSession(caller.uid, sessionIdOf(tokenHash));
    return goodbye;
  },

  listSessions: async ({ params, tokenHash }) => {
    const sessions = await listSessions(await requireUser(params.uid));
    return sessions.map((one) => session(one, tokenHash));
  },

  endSession: async ({ params }) => {
    await endSession(params.uid, params.sessionId);
    return success;
  },
};
