import { listApiTokens } from "../../../shared/access/identity/store/tokens.ts";
import { createApi, type Handlers } from "../../../shared/http/createApi.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { success } from "../../../shared/http/schemas.ts";
import { addApiToken, renewDefaultToken, revokeToken, rotateToken } from "./apiTokens.ts";
import { requireUser } from "./changeUsers.ts";
import { groupHandlers } from "./groupHandlers.ts";
import { identityRoutes } from "./routes.ts";
import {
  confirmSecondFactor,
  disableSecondFactor,
  renewRecoveryCodes,
  resetSecondFactor,
  startSecondFactor,
  viewSecondFactor,
} from "./secondFactor.ts";
import type { secondFactorRoutes } from "./secondFactorRoutes.ts";
import { sessionHandlers } from "./sessionHandlers.ts";
import { settingHandlers } from "./settingHandlers.ts";
import type { tokenRoutes } from "./tokenRoutes.ts";
import { userHandlers } from "./userHandlers.ts";
import { apiToken } from "./wire.ts";

const owner = ({ uid, grants }: Caller) => ({ uid, isSystemAdmin: grants.systemAdmin });

const tokenHandlers: Handlers<typeof tokenRoutes> = {
  createApiToken: async ({ caller }) => ({ token: await renewDefaultToken(owner(caller)) }),

  listTokens: async ({ params }) => {
    const [tokens] = await Promise.all([listApiTokens(params.uid), requireUser(params.uid)]);
    return tokens.map(apiToken);
  },

  addToken: async ({ body, caller }) => {
    const { expires_at: expiresAt, ...wanted } = body;
    const { token, text } = await addApiToken(owner(caller), {
      ...wanted,
      ...(expiresAt !== undefined && { expiresAt }),
    });
    return { ...apiToken(token), token: text };
  },

  rotateToken: async ({ params, caller }) => {
    const { token, text } = await rotateToken(owner(caller), params.tokenId);
    return { ...apiToken(token), token: text };
  },

  revokeToken: async ({ params }) => {
    await revokeToken(params.uid, params.tokenId);
    return success;
  },
};

const proofIn = ({ password, mfa_code: code }: { password: string; mfa_code: string }) => ({ password, code });

const secondFactorHandlers: Handlers<typeof secondFactorRoutes> = {
  getSecondFactor: async ({ params }) => {
    const { enabled, left } = await viewSecondFactor(params.uid);
    return { enabled, recovery_codes_left: left };
  },

  beginSecondFactor: ({ params, body, sourceAddress }) => startSecondFactor(params.uid, proofIn(body), sourceAddress),

  confirmSecondFactor: async ({ params, body, sourceAddress: address, tokenHash }) => ({
    recovery_codes: await confirmSecondFactor(params.uid, body.mfa_code, { address, tokenHash }),
  }),

  renewRecoveryCodes: async ({ params, body, sourceAddress }) => ({
    recovery_codes: await renewRecoveryCodes(params.uid, proofIn(body), sourceAddress),
  }),

  disableSecondFactor: async ({ params, body, sourceAddress }) => {
    await disableSecondFactor(params.uid, proofIn(body), sourceAddress);
    return success;
  },

  resetSecondFactor: async ({ params, caller }) => {
    await resetSecondFactor(params.uid, caller.uid);
    return success;
  },
};

export const handler = createApi(identityRoutes, {
  ...sessionHandlers,
  ...secondFactorHandlers,
  ...userHandlers,
  ...tokenHandlers,
  ...groupHandlers,
  ...settingHandlers,
});
