import { equals, mustExist } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { type Key, keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { remove, update } from "../../../base/store/writes.ts";
import { networkOf } from "../rules/networkOf.ts";

/** An attempt to sign in to an account with a password. */
export interface Attempt {
  account: string;
  /** As the gateway saw it. */
  address: string;
}

interface Count {
  /** Attempts that failed or are under way. */
  value: number;
  failed?: number;
  /** Unix seconds. */
  since: number;
  lockedUntil?: number;
}

const windowSeconds = 3600;
const lockSeconds = 15 * 60;
/** Of one account from one network, and of all accounts from one network (decisions 3.4). */
const mostOfPair = 5;
const mostOfNetwork = 100;
/** From so many failures on, wherever they came from, a network has fewer, and waits for longer. */
const manyOfAccount = 20;
const mostOfPairThen = 2;
const lockSecondsThen = windowSeconds;
/** Of wrong second factors of an account, from anywhere: only who knows the password gets so far. */
const mostOfCodes = 10;

/**
 * Counts an attempt before its password is looked at, so that parallel guesses count too. Wrong passwords count where they
 * come from: who knows an account's name cannot lock it for others.
 * @returns seconds to wait, or 0 when the attempt may go on; one that may not does not count
 */
export async function startAttempt(attempt: Attempt): Promise<number> {
  const { ofNetwork, ofPair } = keysOf(attempt);
  const waitOfNetwork = await charge(ofNetwork, mostOfNetwork);
  // A locked network leaves no records of accounts behind.
  if (waitOfNetwork > 0) return waitOfNetwork;
  const wait = await charge(ofPair, mostOfPair);
  if (wait > 0) await refund(ofNetwork);
  return wait;
}

/** The attempt failed: the last one allowed locks this account for this network, or the network. */
export async function failAttempt(attempt: Attempt): Promise<void> {
  const { ofNetwork, ofPair, ofAccount } = keysOf(attempt);
  const { value } = await add(ofAccount, "value");
  const isGuessedAt = value > manyOfAccount;
  await Promise.all([
    fail(ofPair, isGuessedAt ? mostOfPairThen : mostOfPair, isGuessedAt ? lockSecondsThen : lockSeconds),
    fail(ofNetwork, mostOfNetwork, lockSeconds),
  ]);
}

/** The attempt was given up before its password was looked at: it counts no more. */
export async function undoAttempt(attempt: Attempt): Promise<void> {
  const { ofNetwork, ofPair } = keysOf(attempt);
  await Promise.all([refund(ofNetwork), refund(ofPair)]);
}

/** The attempt succeeded: the account is clear again from there, and the network is not charged. */
export async function clearAttempt(attempt: Attempt): Promise<void> {
  const { ofNetwork, ofPair } = keysOf(attempt);
  await Promise.all([refund(ofNetwork), table().write(remove(ofPair))]);
}

/** Counts a code of a user's second factor before it is looked at. @returns seconds to wait, or 0 */
export function startCode(uid: string): Promise<number> {
  return charge(keys.loginFailures("code", uid), mostOfCodes);
}

/** The code was wrong: the tenth within an hour locks the second factor for an hour. */
export function failCode(uid: string): Promise<void> {
  return fail(keys.loginFailures("code", uid), mostOfCodes, lockSecondsThen);
}

/** The code was right; earlier wrong ones still count, because another person may have sent them. */
export function undoCode(uid: string): Promise<void> {
  return refund(keys.loginFailures("code", uid));
}

function keysOf({ account, address }: Attempt): Record<"ofAccount" | "ofNetwork" | "ofPair", Key> {
  const network = networkOf(address);
  return {
    ofAccount: keys.loginFailures("account", account),
    ofNetwork: keys.loginFailures("address", network),
    // No network has this sign in it.
    ofPair: keys.loginFailures("pair", `${network}#${account}`),
  };
}

/** Counts an attempt. @returns seconds to wait; then it is not counted */
async function charge(key: Key, most: number): Promise<number> {
  const now = nowSeconds();
  const { value, lockedUntil } = await add(key, "value");
  if (lockedUntil !== undefined) return Math.max(1, lockedUntil - now);
  if (value <= most) return 0;
  // As many as may fail are under way.
  await refund(key);
  return lockSeconds;
}

async function fail(key: Key, most: number, seconds: number): Promise<void> {
  const { failed = 0, lockedUntil } = await add(key, "failed");
  if (failed < most || lockedUntil !== undefined) return;
  const until = nowSeconds() + seconds;
  await table().updateOne(update(key, { set: { lockedUntil: until, ttl: until } }, mustExist));
}

async function refund(key: Key): Promise<void> {
  await table().updateOne(update(key, { add: { value: -1 } }, mustExist));
}

/** Adds one to a count, which begins again when its hour, or its lock, has ended. */
async function add(key: Key, what: "value" | "failed"): Promise<Count> {
  const now = nowSeconds();
  const ttl = now + windowSeconds + lockSeconds;
  const count = await table().addTo<Count>(key, { [what]: 1 }, { since: now, ttl });
  const { since, lockedUntil } = count;
  const isOver = lockedUntil === undefined ? since + windowSeconds <= now : lockedUntil <= now;
  if (!isOver) return count;
  // Of attempts at the same moment one starts the new count; the others find it started and add themselves to it.
  const anew = { since: now, value: 0, failed: 0, ttl };
  await table().updateOne(update(key, { set: anew, unset: ["lockedUntil"] }, equals("since", since)));
  return add(key, what);
}
