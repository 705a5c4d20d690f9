import { absent, both, mustBeFreeOrBefore, mustExist } from "./conditions.ts";
import { nowSeconds } from "./ids.ts";
import { keys } from "./keys.ts";
import { ConditionFailed } from "./table.ts";
import { table } from "./theTable.ts";
import { remove, update } from "./writes.ts";

export interface KeptAnswer {
  status: number;
  contentType: string;
  body: string;
}

interface IdempotencyItem {
  bodyHash: string;
  answer?: KeptAnswer;
  releasedAt: number;
}

export type Claim =
  | { state: "claimed" }
  | { state: "inFlight" }
  | { state: "otherBody" }
  | { state: "answered"; answer: KeptAnswer };

const keptSeconds = 24 * 3600;
/** A function of the API ends after 29 s; where a request may take longer, its claim is renewed. */
const inFlightSeconds = 45;
const maxAnswerBytes = 64 * 1024;

/** Takes an idempotency key, or tells what became of it (decisions 1.3: kept 24 hours; decisions 18.4: 45 s while in flight). */
export async function claimIdempotencyKey(hash: string, bodyHash: string): Promise<Claim> {
  const now = nowSeconds();
  const key = keys.idempotency(hash);
  const item = {
    ...key,
    type: "idempotency",
    version: 1,
    bodyHash,
    releasedAt: now + inFlightSeconds,
    ttl: now + keptSeconds,
  };
  try {
    await table().write({ kind: "put", item, condition: mustBeFreeOrBefore("releasedAt", now) });
    return { state: "claimed" };
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
  const kept = await table().get<IdempotencyItem>(key);
  if (kept === undefined) return { state: "inFlight" };
  if (kept.bodyHash !== bodyHash) return { state: "otherBody" };
  return kept.answer === undefined ? { state: "inFlight" } : { state: "answered", answer: kept.answer };
}

/** How often a claim has to be renewed while its request is worked on. */
export const claimRenewalSeconds = inFlightSeconds / 3;

/** Says that a claimed request is still worked on. */
export async function renewClaim(hash: string): Promise<void> {
  const releasedAt = nowSeconds() + inFlightSeconds;
  await table().updateOne(update(keys.idempotency(hash), { set: { releasedAt } }, both(mustExist, absent("answer"))));
}

/** Keeps the answer for replays; one over 64 KB is not kept and the key is free again. */
export async function keepAnswer(hash: string, answer: KeptAnswer): Promise<void> {
  if (Buffer.byteLength(answer.body) > maxAnswerBytes) return releaseIdempotencyKey(hash);
  const releasedAt = nowSeconds() + keptSeconds;
  await table().write(update(keys.idempotency(hash), { set: { answer, releasedAt } }, mustExist));
}

export async function releaseIdempotencyKey(hash: string): Promise<void> {
  await table().write(remove(keys.idempotency(hash)));
}
