import { config } from "../../../base/settings/config.ts";

/** Whether the operator configured an identity provider. */
export function hasIdentityProvider(): boolean {
  const { SLIPWAY_OIDC_ISSUER, SLIPWAY_OIDC_CLIENT_ID, SLIPWAY_OIDC_REDIRECT_URI } = config();
  return [SLIPWAY_OIDC_ISSUER, SLIPWAY_OIDC_CLIENT_ID, SLIPWAY_OIDC_REDIRECT_URI].every((text) => text !== undefined);
}
