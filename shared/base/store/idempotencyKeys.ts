import { absent, both, equals, mustExist } from "./conditions.ts";
import { nowSeconds } from "./ids.ts";
import { keys } from "./keys/keys.ts";
import type { Made } from "./madeOnce.ts";
import { table } from "./table.ts";
import { ConditionFailed } from "./tableClient.ts";
import { create, remove, update } from "./writes.ts";

export interface KeptAnswer {
  status: number;
  contentType: string;
  body: string;
}

interface IdempotencyItem {
  bodyHash: string;
  answer?: KeptAnswer;
  /** What a try of the request created, whatever became of its answer. */
  made?: Made;
  releasedAt: number;
}

export type Claim =
  | { state: "claimed"; made?: Made | undefined }
  | { state: "inFlight" }
  | { state: "otherBody" }
  | { state: "answered"; answer: KeptAnswer };

const keptSeconds = 24 * 3600;
/** A function of the API ends after 29 s; where a request may take longer, its claim is renewed. */
const inFlightSeconds = 45;
const maxAnswerBytes = 64 * 1024;

/** Takes an idempotency key, or returns what became of it (decisions 1.3: kept 24 hours; decisions 18.4: 45 s while in flight). */
export async function claimIdempotencyKey(hash: string, bodyHash: string): Promise<Claim> {
  const now = nowSeconds();
  const key = keys.idempotency(hash);
  const claim = { type: "idempotency", bodyHash, releasedAt: now + inFlightSeconds, ttl: now + keptSeconds };
  try {
    await table().write(create({ ...key, ...claim }));
    return { state: "claimed" };
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
  const kept = await table().get<IdempotencyItem>(key);
  if (kept === undefined) return { state: "inFlight" };
  const isFree = kept.releasedAt < now;
  // A free key whose request made nothing takes another body; what was made belongs to its body.
  if (kept.bodyHash !== bodyHash && (kept.made !== undefined || !isFree)) return { state: "otherBody" };
  if (!isFree) return kept.answer === undefined ? { state: "inFlight" } : { state: "answered", answer: kept.answer };
  const isAsRead = equals("releasedAt", kept.releasedAt);
  if (!(await table().updateOne(update(key, { set: claim, unset: ["answer"] }, isAsRead))))
    return { state: "inFlight" };
  return { state: "claimed", made: kept.made };
}

/** How often a claim has to be renewed while its request is worked on. */
export const claimRenewalSeconds = inFlightSeconds / 3;

/** Says that a claimed request is still worked on. */
export async function renewClaim(hash: string): Promise<void> {
  const releasedAt = nowSeconds() + inFlightSeconds;
  await table().updateOne(update(keys.idempotency(hash), { set: { releasedAt } }, both(mustExist, absent("answer"))));
}

/** Keeps the answer for replays; one over 64 KB is not kept and the key is free again. */
export async function recordAnswer(hash: string, answer: KeptAnswer): Promise<void> {
  if (Buffer.byteLength(answer.body) > maxAnswerBytes) return releaseIdempotencyKey(hash);
  const releasedAt = nowSeconds() + keptSeconds;
  await table().write(update(keys.idempotency(hash), { set: { answer, releasedAt } }, mustExist));
}

/** Frees a key for another try of its request, which finds what this one made. */
export async function releaseIdempotencyKey(hash: string): Promise<void> {
  const key = keys.idempotency(hash);
  try {
    await table().write(remove(key, absent("made")));
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    await table().updateOne(update(key, { set: { releasedAt: 0 } }, mustExist));
  }
}
