import * as client from "openid-client";
import { readSecret } from "../../../base/aws/secrets/readSecret.ts";
import { ApiError } from "../../../base/errors/apiError.ts";
import { config, keptWithConfig } from "../../../base/settings/config.ts";
import { log } from "../../../base/settings/log.ts";
import { hasIdentityProvider } from "./hasIdentityProvider.ts";

/** What the provider says of a user who signed in there. */
export interface ProviderClaims {
  issuer: string;
  subject: string;
  /** Everything that was said, of the ID token and of the user-info endpoint. */
  claims: Readonly<Record<string, unknown>>;
}

/** Secrets of one sign-in, which only the browser that began it has. */
export interface SignOnSecrets {
  state: string;
  nonce: string;
  codeVerifier: string;
}

const cacheMilliseconds = 10 * 60 * 1000;
const timeoutSeconds = 10;

const known = keptWithConfig((): { provider?: client.Configuration; until: number } => ({ until: 0 }));

/**
 * Where a browser goes to sign in: authorization code with PKCE.
 * @throws ApiError 6003 when no provider is configured or the provider does not answer
 */
export async function authorizationUrl({ state, nonce, codeVerifier }: SignOnSecrets): Promise<string> {
  const { SLIPWAY_OIDC_REDIRECT_URI: redirect_uri = "", SLIPWAY_OIDC_SCOPES: scope } = config();
  const provider = await theProvider();
  const code_challenge = await client.calculatePKCECodeChallenge(codeVerifier);
  const parameters = { redirect_uri, scope, state, nonce, code_challenge, code_challenge_method: "S256" };
  return client.buildAuthorizationUrl(provider, parameters).href;
}

/**
 * Exchanges the code that the provider sent the browser back with, and checks everything that came with it: state,
 * issuer, signature, nonce, audience and times.
 * @throws ApiError 6003
 */
export async function claimsOfCallback(search: URLSearchParams, secrets: SignOnSecrets): Promise<ProviderClaims> {
  const provider = await theProvider();
  const url = new URL(config().SLIPWAY_OIDC_REDIRECT_URI ?? "");
  url.search = search.toString();
  try {
    const tokens = await client.authorizationCodeGrant(provider, url, {
      expectedState: secrets.state,
      expectedNonce: secrets.nonce,
      pkceCodeVerifier: secrets.codeVerifier,
      idTokenExpected: true,
    });
    const idToken = tokens.claims();
    if (idToken === undefined) throw new Error("the provider sent no ID token");
    const hasMore = provider.serverMetadata().userinfo_endpoint !== undefined;
    const more = hasMore ? await client.fetchUserInfo(provider, tokens.access_token, idToken.sub) : {};
    return { issuer: idToken.iss, subject: idToken.sub, claims: { ...idToken, ...more } };
  } catch (error) {
    throw refused(error);
  }
}

async function theProvider(): Promise<client.Configuration> {
  const { SLIPWAY_OIDC_ISSUER: issuer, SLIPWAY_OIDC_CLIENT_ID: clientId } = config();
  if (!hasIdentityProvider() || issuer === undefined || clientId === undefined)
    throw new ApiError(6003, "sign-in by an identity provider is not configured for this installation");
  const kept = known();
  if (kept.provider !== undefined && kept.until > Date.now()) return kept.provider;
  const url = new URL(issuer);
  try {
    const provider = await client.discovery(url, clientId, await clientSecret(), undefined, {
      timeout: timeoutSeconds,
      execute: isThisMachine(url) ? [client.allowInsecureRequests] : [],
    });
    Object.assign(kept, { provider, until: Date.now() + cacheMilliseconds });
    return provider;
  } catch (error) {
    throw refused(error);
  }
}

/** From the setting on one machine, from Secrets Manager in AWS; a public client has none. */
async function clientSecret(): Promise<string | undefined> {
  const { SLIPWAY_OIDC_CLIENT_SECRET: text, SLIPWAY_OIDC_CLIENT_SECRET_NAME: name } = config();
  return text ?? (name === undefined ? undefined : readSecret(name));
}

/** Without TLS a provider is spoken to on this machine only: while trying things out. */
function isThisMachine({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
}

/** Tells what the provider itself said; everything else goes to the log. */
function refused(error: unknown): ApiError {
  if (error instanceof client.AuthorizationResponseError)
    return new ApiError(6003, `the identity provider refused: ${error.error_description ?? error.error}`);
  log.error("sign-in by identity provider failed", {
    internal: error instanceof Error ? error.message : String(error),
  });
  return new ApiError(6003, "the identity provider's answer could not be accepted; begin the sign-in again");
}
