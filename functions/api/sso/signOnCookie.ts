import { createHash, randomBytes } from "node:crypto";
import type { SignOnSecrets } from "../../../shared/identity/signOn/identityProvider.ts";

const cookieName = "slipway_sign_on";
const lifeSeconds = 600;
const path = "/api/v1/sso";

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
export function cookieFor(secret: string, isSecure: boolean): string {
  return `${cookieName}=${secret}; Path=${path}; Max-Age=${lifeSeconds}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

/** Takes the cookie away: a sign-in is finished once. */
export const cookieGone = `${cookieName}=; Path=${path}; Max-Age=0; HttpOnly; SameSite=Lax`;

/** The secret that a browser came back with. */
export function secretIn(cookies: string | undefined): string | undefined {
  const pairs = (cookies ?? "").split(";").map((pair) => pair.trim());
  const value = pairs.find((pair) => pair.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1);
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}
