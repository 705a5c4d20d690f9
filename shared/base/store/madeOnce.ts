import { AsyncLocalStorage } from "node:async_hooks";
import { absent, both, mustExist } from "./conditions.ts";
import { keys } from "./keys/keys.ts";
import { named, update, type Write } from "./writes.ts";

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

const requests = new AsyncLocalStorage<ClaimedRequest | undefined>();

/** Runs the work of a request. @param request absent: it has no `Idempotency-Key`, and creates something at every try */
export function inClaimedRequest<T>(request: ClaimedRequest | undefined, work: () => Promise<T>): Promise<T> {
  return requests.run(request, work);
}

/** The id of what an earlier try of this request made; undefined when it made nothing of the kind. */
export function madeBefore<Id extends Made["id"]>(kind: Made["kind"]): Id | undefined {
  const made = requests.getStore()?.made;
  return made?.kind === kind ? (made.id as Id) : undefined;
}

/**
 * Goes into the transaction that creates something, at most one a request: a later try of the request finds it
 * (docs/decisions/0209). Lost as "claim" when another try of the request created it at the same moment.
 */
export function recordMade(made: Made): Write[] {
  const request = requests.getStore();
  if (request === undefined) return [];
  const isFirst = both(mustExist, absent("made"));
  return [named("claim", update(keys.idempotency(request.hash), { set: { made } }, isFirst))];
}
