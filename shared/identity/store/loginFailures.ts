import { equals, mustExist } from "../../store/conditions.ts";
import { nowSeconds } from "../../store/ids.ts";
import { keys } from "../../store/keys.ts";
import { table } from "../../store/theTable.ts";
import { remove, update } from "../../store/writes.ts";

interface Attempts {
  value: number;
  since: number;
  lockedUntil?: number;
}

export type FailuresOf = "account" | "address";

const maxAttempts: Record<FailuresOf, number> = { account: 5, address: 100 };
const windowSeconds = 3600;
const lockSeconds = 15 * 60;

/**
 * Counts a sign-in attempt before its password is looked at, so that parallel guesses count too.
 * @returns seconds to wait, or 0 when the attempt may go on (decisions 3.4)
 */
export async function beginAttempt(of: FailuresOf, name: string): Promise<number> {
  const now = nowSeconds();
  const key = keys.loginFailures(of, name);
  const attempts = await table().add<Attempts>(key, 1, { since: now, ttl: now + windowSeconds + lockSeconds });
  if (isOver(attempts, now)) {
    await startAnew(of, name, attempts.since, now);
    return beginAttempt(of, name);
  }
  if (attempts.value <= maxAttempts[of]) return 0;
  return Math.max(1, (attempts.lockedUntil ?? now + lockSeconds) - now);
}

function isOver({ since, lockedUntil }: Attempts, now: number): boolean {
  return lockedUntil === undefined ? since + windowSeconds <= now : lockedUntil <= now;
}

/** Of attempts at the same moment one begins the new count; the others find it begun and count themselves in. */
async function startAnew(of: FailuresOf, name: string, since: number, now: number): Promise<void> {
  const mustBeThatCount = equals("since", since);
  const anew = { since: now, value: 0, ttl: now + windowSeconds + lockSeconds };
  await table().updateOne(update(keys.loginFailures(of, name), { set: anew, unset: ["lockedUntil"] }, mustBeThatCount));
}

/** The attempt failed: the last one allowed locks. */
export async function failAttempt(of: FailuresOf, name: string): Promise<void> {
  const key = keys.loginFailures(of, name);
  const attempts = await table().get<Attempts>(key);
  if (attempts === undefined || attempts.value < maxAttempts[of] || attempts.lockedUntil !== undefined) return;
  const lockedUntil = nowSeconds() + lockSeconds;
  await table().updateOne(update(key, { set: { lockedUntil, ttl: lockedUntil } }, mustExist));
}

/** The attempt was given up before its password was looked at: it counts no more. */
export async function undoAttempt(of: FailuresOf, name: string): Promise<void> {
  await table().add(keys.loginFailures(of, name), -1);
}

/** The attempt succeeded: an account is clear again, an address is not charged. */
export async function clearAttempt(of: FailuresOf, name: string): Promise<void> {
  if (of === "account") await table().write(remove(keys.loginFailures(of, name)));
  else await undoAttempt(of, name);
}
