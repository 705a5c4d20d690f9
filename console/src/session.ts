import { connect, type Slipway } from "@slipway/client";
import { useSyncExternalStore } from "react";

/** Who is signed in, in every tab of the browser (docs/decisions/0190). */
export interface Session {
  /** Empty when the login has ended. */
  token: string;
  uid: string;
  name: string;
  account: string;
  /** `system` for who signs in with a password here. */
  identityType: string;
  /** It is good for enrolling a second factor alone. */
  mustEnrol?: true;
  /** The login was ended elsewhere or has expired: pages stay as they are until a user signs in again. */
  hasEnded?: true;
}

const place = "slipway.session";
const listeners = new Set<() => void>();
let session = stored();

/** What all tabs share. */
function stored(): Session | undefined {
  const text = localStorage.getItem(place);
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as Session;
  } catch {
    return undefined;
  }
}

// Another tab signed in or out, or found that the login has ended. The key is null when everything was cleared.
addEventListener("storage", ({ key }) => {
  if (key === place || key === null) become(stored());
});

function become(next: Session | undefined): void {
  session = next;
  for (const listener of listeners) listener();
}

export function currentSession(): Session | undefined {
  return session;
}

export function keepSession(next: Session | undefined): void {
  if (next === undefined) localStorage.removeItem(place);
  else localStorage.setItem(place, JSON.stringify(next));
  become(next);
}

/** What an answer to a sign-in says. */
export function sessionOf(answer: {
  token: string;
  uid: string;
  name: string;
  account: string;
  identityType: string;
  mfa_required: boolean;
}): Session {
  const { token, uid, name, account, identityType, mfa_required } = answer;
  return { token, uid, name: name || account, account, identityType, ...(mfa_required && { mustEnrol: true }) };
}

/** The API refused a token. An answer to one from before, late, ends nothing: another tab may have signed in since. */
export function endSession(token: string): void {
  const shared = stored();
  if (shared?.token !== token) become(shared);
  // Nothing was shown in it.
  else if (shared.mustEnrol) keepSession(undefined);
  else keepSession({ ...shared, token: "", hasEnded: true });
}

/** Calls `listener` whenever a user signs in or out, or a login ends. @returns what stops that */
export function watchSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSession(): Session | undefined {
  return useSyncExternalStore(watchSession, currentSession);
}

/** The console is one step below the API. */
export const address = new URL("..", document.baseURI).href.replace(/\/$/, "");

/** The API as the user who is signed in now. */
export function slipway(): Slipway {
  const { token = "" } = session ?? {};
  const client = connect({ address, token: token || undefined });
  client.use({
    onResponse: ({ response }) => {
      if (response.status === 401 && token !== "") endSession(token);
    },
  });
  return client;
}

/** The API for signing in, without retries: the user would have to wait for them. */
export function visitor(): Slipway {
  return connect({ address, tries: 1 });
}

/** For what is asked in order to sign in: also while nothing else is, because a login has ended. */
export const asVisitor = { networkMode: "always" } as const;

/** Where the identity provider sends browsers back to, for people to come back to the console. */
export const signedOnAddress = `${address}/console/signed-on`;

const wayBack = "slipway.signOn";

/** Keeps the page that the user wanted while the browser is at the identity provider. */
export function keepWayBack(href: string): void {
  sessionStorage.setItem(wayBack, href);
}

/** @returns the page that was wanted; the first one where nothing was kept */
export function takeWayBack(): string {
  const href = sessionStorage.getItem(wayBack) ?? "/";
  sessionStorage.removeItem(wayBack);
  return href;
}
