import { connect, type Slipway } from "@slipway/client";
import { useSyncExternalStore } from "react";

/** Who is signed in, for as long as the tab is open (a login token expires by itself besides). */
export interface Session {
  token: string;
  uid: string;
  name: string;
}

const place = "slipway.session";
const listeners = new Set<() => void>();
let session = stored();

function stored(): Session | undefined {
  const text = sessionStorage.getItem(place);
  return text === null ? undefined : (JSON.parse(text) as Session);
}

export function currentSession(): Session | undefined {
  return session;
}

export function keepSession(next: Session | undefined): void {
  session = next;
  if (next === undefined) sessionStorage.removeItem(place);
  else sessionStorage.setItem(place, JSON.stringify(next));
  for (const listener of listeners) listener();
}

/** Calls `listener` whenever somebody signs in or out, or a login ends. @returns what stops that */
export function watchSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSession(): Session | undefined {
  return useSyncExternalStore(watchSession, currentSession);
}

/** The console stands one step below the API. */
export const address = new URL("..", document.baseURI).href.replace(/\/$/, "");

/** The API as whoever is signed in now. */
export function slipway(): Slipway {
  return connect({ address, token: session?.token });
}

/** Where the identity provider sends browsers back to, for people to come back to the console. */
export const signedOnAddress = `${address}/console/signed-on`;

const wayBack = "slipway.signOn";

/** Keeps the page that somebody wanted while the browser is at the identity provider. */
export function keepWayBack(href: string): void {
  sessionStorage.setItem(wayBack, href);
}

/** @returns the page that was wanted; the first one where nothing was kept */
export function takeWayBack(): string {
  const href = sessionStorage.getItem(wayBack) ?? "/";
  sessionStorage.removeItem(wayBack);
  return href;
}
