import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import {
  beginSecondFactor,
  confirmSecondFactor,
  disableSecondFactor,
  renewRecoveryCodes,
  resetSecondFactor,
  viewSecondFactor,
} from "./secondFactor.ts";
import type { secondFactorRoutes } from "./secondFactorRoutes.ts";

const proofIn = ({ password, mfa_code: code }: { password: string; mfa_code: string }) => ({ password, code });

export const secondFactorHandlers: Handlers<typeof secondFactorRoutes> = {
  getSecondFactor: async ({ params }) => {
    const { enabled, left } = await viewSecondFactor(params.uid);
    return { enabled, recovery_codes_left: left };
  },

  beginSecondFactor: ({ params, body, sourceAddress }) => beginSecondFactor(params.uid, proofIn(body), sourceAddress),

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
