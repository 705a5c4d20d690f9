import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { absent, both, mustBeOneOf, mustExist } from "./conditions.ts";
import { nowSeconds } from "./ids.ts";
import { keys } from "./keys/keys.ts";
import { table } from "./table.ts";
import { tryWrite } from "./tryWrite.ts";
import { named, overwrite, remove, update, type Write } from "./writes.ts";

/** What a request creates that nothing else tells apart from what the same request created when it was tried before. */
export interface Made {
  /** With whose it is: a task's number says nothing without its owner. */
  kind: "plan" | `task of ${string}`;
  id: string | number;
}

/** A request with an `Idempotency-Key`, and what an earlier try of it made before it was killed or failed. */
interface ClaimedRequest {
  hash: string;
  made?: Made | undefined;
}

/** A request without an `Idempotency-Key`. */
interface UnclaimedRequest {
  /** The same for the same call with the same body by the same caller. */
  fingerprint: string;
  /** It created something, and is not answered yet. */
  noted?: Made;
}

const requests = new AsyncLocalStorage<ClaimedRequest | UnclaimedRequest | undefined>();

/**
 * Runs the work of a request. What it notes of itself is forgotten once the work is done, so that only a request that was
 * interrupted leaves it behind.
 */
export async function inRequest<T>(
  request: ClaimedRequest | UnclaimedRequest | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const done = await requests.run(request, work);
  if (request !== undefined && "noted" in request) await forget(request);
  return done;
}

function claimed(): ClaimedRequest | undefined {
  const request = requests.getStore();
  return request !== undefined && "hash" in request ? request : undefined;
}

function unclaimed(): UnclaimedRequest | undefined {
  const request = requests.getStore();
  return request !== undefined && "fingerprint" in request ? request : undefined;
}

/** The id of what an earlier try of this request made; undefined when it made nothing of the kind. */
export function madeBefore<Id extends Made["id"]>(kind: Made["kind"]): Id | undefined {
  const made = claimed()?.made;
  return made?.kind === kind ? (made.id as Id) : undefined;
}

/**
 * Goes into the transaction that creates something, at most one a request: a later try of the request finds it
 * (docs/decisions/0209, 0215). Lost as "claim" when another try of the request created it at the same moment.
 */
export function recordMade(made: Made): Write[] {
  const claim = claimed();
  if (claim !== undefined) {
    const isFirst = both(mustExist, absent("made"));
    return [named("claim", update(keys.idempotency(claim.hash), { set: { made } }, isFirst))];
  }
  const request = unclaimed();
  // Plans are told apart by their names.
  if (request === undefined || made.kind === "plan") return [];
  request.noted = made;
  const at = nowSeconds();
  const note = { type: "unanswered-request", ...made, at, ttl: at + keptSeconds };
  return [overwrite({ ...note, ...keys.unanswered(request.fingerprint) })];
}

interface Unanswered extends Made {
  /** Unix seconds. */
  at: number;
}

/** So long the same request without an `Idempotency-Key` is taken for another try (decisions 19.12). */
const keptSeconds = 60;
/** A request that created something answers within so long, unless it was interrupted. */
const patienceSeconds = 5;
const lookMilliseconds = 250;

/**
 * What the same request, by the same caller and without an `Idempotency-Key`, created within the last minute before it was
 * interrupted. One that is being worked on is waited for, five seconds at most.
 */
export async function madeUnanswered<Id extends Made["id"]>(kind: Made["kind"]): Promise<Id | undefined> {
  const request = unclaimed();
  if (request === undefined) return undefined;
  const look = () => table().get<Unanswered>(keys.unanswered(request.fingerprint));
  const first = await look();
  let found = first;
  while (found !== undefined && found.at > nowSeconds() - patienceSeconds) {
    await pause(lookMilliseconds);
    found = await look();
    if (found?.id !== first?.id) return undefined;
  }
  if (found?.kind !== kind || found.at <= nowSeconds() - keptSeconds) return undefined;
  return found.id as Id;
}

async function forget({ fingerprint, noted }: UnclaimedRequest): Promise<void> {
  if (noted === undefined) return;
  // The same request may have created the next one meanwhile.
  await tryWrite(table().write(remove(keys.unanswered(fingerprint), mustBeOneOf("id", [noted.id]))));
}
