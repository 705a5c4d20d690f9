import { frozen, mayOverride, overrideRefused } from "../../freezes/words.ts";
import { nowSeconds } from "../../store/ids.ts";
import { type Exchange, type Middleware, rawRequest } from "../exchange.ts";
import { asksForPreview } from "../preview.ts";

/**
 * Refuses a change of production while a freeze holds for it, unless a caller who may override it says why it cannot
 * wait. A preview reports the freeze. Runs before keys of idempotency, so that the same request can be sent again when
 * the freeze has ended.
 * @throws ApiError 409 naming the freeze; 403 for a reason of a caller who may not override
 */
export function meetFreezes(): Middleware {
  return {
    before: ({ internal }) => {
      const { route, scope, query, caller, environment } = internal;
      if (route?.freeze === undefined || (environment ?? scope).production === false) return;
      const reason = query.override_reason;
      if (typeof reason === "string") {
        internal.overrideReason = reason;
        if (route.freeze === "handler") return;
        const projectKey = scope.projectKey ?? "";
        if (caller !== undefined && mayOverride(caller.grants, projectKey)) return;
        throw overrideRefused(projectKey);
      }
      if (typeof route.freeze === "string") return;
      const place = { projectKey: scope.projectKey ?? "", envKey: environmentOf(internal) };
      const held = route.freeze(internal.freezes ?? [], place, nowSeconds());
      if (held === undefined) return;
      if (!asksForPreview(internal)) throw frozen(held);
      internal.heldBy = held;
    },
  };
}

/** One that is about to be made is no scope yet, but the words of its operation log name it. */
function environmentOf(exchange: Exchange): string | undefined {
  return exchange.scope.environment ?? exchange.route?.audit?.targets?.(rawRequest(exchange))[0];
}
