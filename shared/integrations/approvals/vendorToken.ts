import type { ApprovalApp } from "./provider.ts";

interface Token {
  token: string;
  /** Milliseconds since the epoch. */
  until: number;
}

/** A process keeps tokens for as long as they hold: the services count how often they are asked for one. */
const tokens = new Map<string, Token>();
/** A token is not used up to its last second. */
const marginSeconds = 60;

/**
 * Does something with the app's access token; where the service no longer knows it, once again with a new one.
 * @param fetch asks for a new token and returns it with the number of seconds that it holds
 * @param use returns undefined when the service refused the token itself
 */
export async function withToken<T>(
  { address, appId, appSecret }: ApprovalApp,
  fetch: () => Promise<{ token: string; seconds: number }>,
  use: (token: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  const name = JSON.stringify([address, appId, appSecret]);
  const kept = tokens.get(name);
  const isFresh = kept !== undefined && kept.until > Date.now();
  if (isFresh) {
    const result = await use(kept.token);
    if (result !== undefined) return result;
  }
  const { token, seconds } = await fetch();
  tokens.set(name, { token, until: Date.now() + (seconds - marginSeconds) * 1000 });
  return use(token);
}
