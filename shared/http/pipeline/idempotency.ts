import { createHash, createHmac } from "node:crypto";
import { ApiError, badRequest } from "../../base/errors/apiError.ts";
import { isStorageFull } from "../../base/errors/storageFull.ts";
import { log } from "../../base/settings/log.ts";
import {
  claimIdempotencyKey,
  claimRenewalSeconds,
  recordAnswer,
  releaseIdempotencyKey,
  renewClaim,
} from "../../base/store/idempotencyKeys.ts";
import type { inRequest } from "../../base/store/madeOnce.ts";
import type { Exchange, Middleware } from "../exchange.ts";
import { asksForPreview } from "../preview.ts";

const keyForm = /^[\x20-\x7e]{1,255}$/;

/**
 * `Idempotency-Key` on mutations (decisions 1.3): the same key and body replays the answer, another body is 422, a
 * request still in flight is 409. An answer of 404, from 500 on, or with `Retry-After` is not kept, so that it can be tried
 * again; nor is one that holds a secret.
 */
export function idempotency(): Middleware {
  return {
    before: async ({ event, internal }) => {
      const key = internal.headers["idempotency-key"];
      if (key === undefined || internal.route === undefined || event.httpMethod === "GET") return undefined;
      if (internal.route.reads) return undefined;
      if (asksForPreview(internal)) return undefined;
      if (!keyForm.test(key))
        throw badRequest([
          { in: "header", path: "Idempotency-Key", problem: "must be 1 to 255 printable ASCII characters" },
        ]);
      const hash = digest([internal.caller?.uid ?? "", event.httpMethod, event.path, queryText(internal), key]);
      const claim = await claimIdempotencyKey(hash, keyedDigest(key, internal.bodyText));
      if (claim.state === "otherBody")
        throw new ApiError(
          422,
          "the Idempotency-Key was used with another body before; use a new key for a new request",
        );
      if (claim.state === "inFlight")
        throw new ApiError(409, "a request with this Idempotency-Key is still being worked on; ask again in a moment");
      if (claim.state === "claimed") {
        const renewing = setInterval(() => void renew(internal, hash), claimRenewalSeconds * 1000).unref();
        internal.idempotency = { hash, made: claim.made, renewing };
        return undefined;
      }
      delete internal.logOpenedAt;
      return {
        statusCode: claim.answer.status,
        headers: {
          ...internal.responseHeaders,
          "content-type": claim.answer.contentType,
          "idempotent-replayed": "true",
        },
        body: claim.answer.body,
      };
    },
  };
}

/** What the work of a mutation knows of its request; undefined where no other try of it could be told apart. */
export function requestOf(exchange: Exchange): Parameters<typeof inRequest>[0] {
  if (exchange.idempotency !== undefined) return exchange.idempotency;
  const { pendingOperation, headers, routeId = "", bodyText } = exchange;
  // The token is the key: a body may hold a password that could be guessed from a plain digest.
  if (pendingOperation === undefined || !headers.authorization) return undefined;
  const call = JSON.stringify([routeId, exchange.params, queryText(exchange), bodyText]);
  return { fingerprint: keyedDigest(headers.authorization, call) };
}

async function renew({ requestId }: Exchange, hash: string): Promise<void> {
  await renewClaim(hash).catch((error: unknown) => {
    log.warn("claim of an Idempotency-Key not renewed", { requestId, internal: String(error) });
  });
}

/** Keeps or releases the answer; registered outside the renderer so that it sees what is sent. */
export function recordIdempotentAnswer(): Middleware {
  const keep: NonNullable<Middleware["after"]> = async ({ internal, response }) => {
    if (internal.idempotency === undefined || response == null) return;
    const { hash, renewing } = internal.idempotency;
    clearInterval(renewing);
    const { statusCode: status, headers, body } = response;
    const isToRepeat = status >= 500 || status === 404 || headers["retry-after"] !== undefined;
    const isUnkept = isToRepeat || internal.route?.secretAnswer === true;
    const contentType = headers["content-type"] ?? "";
    try {
      await (isUnkept ? releaseIdempotencyKey(hash) : recordAnswer(hash, { status, contentType, body }));
    } catch (error) {
      // This does not change the answer; the key is free again when its time has passed.
      if (!isStorageFull(error)) throw error;
      log.error("answer not kept", { requestId: internal.requestId, internal: String(error) });
    }
  };
  return { after: keep, onError: keep };
}

function queryText(exchange: Exchange): string {
  const entries = Object.entries(exchange.query).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(entries);
}

/** Keyed, because a body may hold a password that could be guessed from a plain digest. */
function keyedDigest(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("hex");
}

function digest(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
