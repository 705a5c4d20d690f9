import { createHash, randomBytes } from "node:crypto";
import type { SignOnSecrets } from "../../../shared/access/identity/signOn/identityProvider.ts";
import { signOnPaths } from "../../../shared/base/settings/signOnPaths.ts";

const cookieName = "slipway_sign_on";
const lifeSeconds = 600;
const path = "/api/v1/sso";

/** The paths that it is sent to, behind whatever precedes the paths of the API, such as a stage. */
function pathBehind(redirectUri: string): string {
  const { pathname } = new URL(redirectUri);
  const end = signOnPaths.find((known) => pathname.endsWith(known)) ?? "";
  return pathname.slice(0, pathname.length - end.length) + path;
}

/** A secret that only the browser which begins a sign-in has: another browser cannot be made to finish it. */
export function newSignOnSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** State, nonce and PKCE verifier of a sign-in; none of them tells the secret or another one. */
export function secretsOf(secret: string): SignOnSecrets {
  const derive = (what: string): string => createHash("sha256").update(`${what} ${secret}`).digest("base64url");
  return { state: derive("state"), nonce: derive("nonce"), codeVerifier: derive("verifier") };
}

/** Sent with the sign-in's begin. `Lax`, because the provider sends the browser back from another site. */
export function cookieFor(secret: string, redirectUri: string): string {
  const secure = redirectUri.startsWith("https:") ? "; Secure" : "";
  return `${cookieName}=${secret}; Path=${pathBehind(redirectUri)}; Max-Age=${lifeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** Takes the cookie away: a sign-in is finished once. */
export function cookieGone(redirectUri: string): string {
  return `${cookieName}=; Path=${pathBehind(redirectUri)}; Max-Age=0; HttpOnly; SameSite=Lax`;
}

/** The secret that a browser came back with. */
export function secretIn(cookies: string | undefined): string | undefined {
  const pairs = (cookies ?? "").split(";").map((pair) => pair.trim());
  const value = pairs.find((pair) => pair.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1);
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}
