import { type Operation, openOperation, recordOperation } from "../../access/audit/recordOperation.ts";
import { removePending } from "../../access/audit/store/pending.ts";
import { recordMetric } from "../../base/metrics/recordMetric.ts";
import { log } from "../../base/settings/log.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import type { Exchange, Middleware } from "../exchange.ts";
import { rawRequest } from "../exchange.ts";
import { userAgentIn } from "../headersOf.ts";
import { asksForPreview } from "../preview.ts";

/**
 * Opens the operation log of a mutation: from here on every outcome is recorded, refusals included
 * (decisions 1). A preview is none: it changes nothing, so it leaves nothing behind.
 */
export function openOperationLog(): Middleware {
  return {
    before: ({ internal }) => {
      if (internal.route?.audit !== undefined && !asksForPreview(internal)) internal.logOpenedAt = nowSeconds();
    },
  };
}

/**
 * Notes the mutation before its work begins, so that one that is killed leaves a record, too (decisions 18.1). A refusal
 * before has done nothing and needs no note. Registered innermost.
 */
export function recordMutation(): Middleware {
  return {
    before: async ({ event, internal }) => {
      if (internal.logOpenedAt === undefined || event.httpMethod === "GET") return;
      internal.pendingOperation = await openOperation(entryOf(internal, internal.logOpenedAt));
    },
  };
}

/** Writes the operation log with the status that is sent, before the answer goes out. Registered outermost. */
export function closeOperationLog(): Middleware {
  const close: NonNullable<Middleware["after"]> = async ({ internal, response }) => {
    const { logOpenedAt, pendingOperation } = internal;
    if (response == null) return;
    try {
      if (logOpenedAt !== undefined)
        await recordOperation({ ...entryOf(internal, logOpenedAt), status: response.statusCode }, pendingOperation);
      else if (pendingOperation !== undefined) await removePending(pendingOperation);
    } catch (error) {
      recordMetric("recordsDelayed", {}, 1);
      log.error("operation log not written", { requestId: internal.requestId, internal: String(error) });
    }
  };
  return { after: close, onError: close };
}

function entryOf(exchange: Exchange, createdAt: number): Omit<Operation, "status"> {
  const audit = exchange.route?.audit;
  if (audit === undefined) throw new Error("an operation log was opened without its texts");
  const raw = rawRequest(exchange);
  const body = audit.kept?.(raw) ?? (audit.body === "none" ? undefined : exchange.body);
  return {
    uid: exchange.caller?.uid ?? exchange.bearer?.uid ?? "",
    username: exchange.caller?.name,
    projectKey: audit.project?.(raw) ?? exchange.scope.projectKey ?? "",
    method: audit.methodOf?.(raw) ?? audit.method,
    function: (exchange.scope.production && audit.productionFunction) || audit.function,
    scene: audit.scene ?? "",
    targets: audit.targets?.(raw) ?? [],
    detail: audit.detail(raw),
    ...withReason(exchange, { body, bodyType: audit.body === "none" ? "" : audit.body }),
    createdAt,
    origin: {
      tokenId: exchange.bearer?.tokenId ?? "",
      ...(exchange.bearer?.tokenName !== undefined && { tokenName: exchange.bearer.tokenName }),
      requestId: exchange.requestId,
      address: exchange.sourceAddress,
      agent: userAgentIn(exchange.headers),
    },
  };
}

type KeptBody = Pick<Operation, "body" | "bodyType">;

/** The reason for overriding a freeze is kept beside what was sent. */
function withReason({ overrideReason }: Exchange, { body, bodyType }: KeptBody): KeptBody {
  if (overrideReason === undefined) return { body, bodyType };
  return { body: { override_reason: overrideReason, request: body }, bodyType: "json" };
}
