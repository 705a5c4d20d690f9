import type { Handlers } from "../../../shared/http/createApi.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { success } from "../../../shared/http/schemas.ts";
import { listApiTokens } from "../../../shared/identity/store/tokens.ts";
import { addApiToken, renewDefaultToken, revokeToken, rotateToken } from "./apiTokens.ts";
import { requireUser } from "./changeUsers.ts";
import type { tokenRoutes } from "./tokenRoutes.ts";
import { apiToken } from "./wire.ts";

const owner = ({ uid, grants }: Caller) => ({ uid, isSystemAdmin: grants.systemAdmin });

export const tokenHandlers: Handlers<typeof tokenRoutes> = {
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
