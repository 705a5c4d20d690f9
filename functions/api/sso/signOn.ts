import { personFromClaims } from "../../../shared/access/identity/rules/personFromClaims.ts";
import { signOnUser } from "../../../shared/access/identity/signOnUser.ts";
import type { SignedInFrom } from "../../../shared/access/identity/store/sessions.ts";
import type { User } from "../../../shared/access/identity/store/users.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { config } from "../../../shared/base/settings/config.ts";
import { cookieFor, newSignOnSecret, secretIn, secretsOf } from "./signOnCookie.ts";

/** Loaded when a user signs in that way: its libraries are large, and few installations need them. */
const identityProvider = () => import("../../../shared/access/identity/signOn/identityProvider.ts");

/** Where the browser goes, and the cookie that lets it come back. @throws ApiError 6003 */
export async function startSignOn(): Promise<{ url: string; cookie: string }> {
  const secret = newSignOnSecret();
  const { authorizationUrl } = await identityProvider();
  const url = await authorizationUrl(secretsOf(secret));
  return { url, cookie: cookieFor(secret, config().SLIPWAY_OIDC_REDIRECT_URI ?? "") };
}

/** Signs in who came back from the provider. @throws ApiError 6003 */
export async function finishSignOn(
  query: Readonly<Record<string, unknown>>,
  cookies: string | undefined,
  signedInFrom: SignedInFrom,
): Promise<{ user: User; token: string }> {
  const secret = secretIn(cookies);
  if (secret === undefined)
    throw new ApiError(
      6003,
      "this browser did not begin the sign-in within ten minutes; begin again at /api/v1/sso/login",
    );
  const entries = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const { claimsOfCallback } = await identityProvider();
  const { claims, ...from } = await claimsOfCallback(new URLSearchParams(entries), secretsOf(secret));
  const person = personFromClaims(claims, config().SLIPWAY_OIDC_GROUPS_CLAIM);
  if (person === undefined)
    throw new ApiError(
      6003,
      "no claim of the identity provider can be an account: at most 32 characters without / \\ ? # %",
    );
  return signOnUser(from, person, signedInFrom);
}
