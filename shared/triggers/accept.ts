import { storeText } from "../aws/objects/objectStore.ts";
import { enableReconciler } from "../reconciling/enableReconciler.ts";
import { newId, nowSeconds } from "../store/ids.ts";
import { type HookDelivery, recordHookDeliveries } from "./records/hookDeliveries.ts";
import type { Payload } from "./rules/payload.ts";
import type { Trigger } from "./rules/trigger.ts";

/** What came in, and for whom. */
export interface Accepted {
  triggers: readonly Pick<Trigger, "workflowId" | "workflowKey" | "projectKey" | "kind" | "name">[];
  event: string;
  /** The caller's own id of it; empty where there is none, and then it is no repetition. */
  sourceId: string;
  /** Whose ids these are. */
  source: string;
  payload: Payload;
  replayOf?: string;
}

/**
 * Keeps what set triggers going; from here on nothing of it is lost, and each trigger starts one task for it (decisions
 * 12.10). A repetition changes nothing.
 * @returns the id that stands for it, and the deliveries that it brought
 */
export async function accept(given: Accepted): Promise<{ deliveryId: string; deliveries: readonly HookDelivery[] }> {
  const { triggers, event, source, sourceId, replayOf = "" } = given;
  await enableReconciler();
  const createdAt = nowSeconds();
  const deliveryId = orderedId();
  const payload = await storeText(JSON.stringify(given.payload));
  const deliveries = triggers.map(({ workflowId, workflowKey, projectKey, kind, name }): HookDelivery => {
    const ref = { workflowId, deliveryId, kind, trigger: name };
    const open = { status: "accepted", taskId: 0, problem: "", createdAt, endedAt: 0 } as const;
    return { ...ref, workflowKey, projectKey, event, sourceId, payload, replayOf, ...open };
  });
  const seen = sourceId === "" ? undefined : `${source}#${sourceId}`;
  const recorded = await recordHookDeliveries(seen, deliveryId, deliveries);
  return { deliveryId: recorded.deliveryId, deliveries: recorded.isNew ? deliveries : [] };
}

/** A record id that sorts by the millisecond: of two calls the later one has the greater id. */
function orderedId(): string {
  const now = Date.now();
  const id = newId(Math.floor(now / 1000));
  return id.slice(0, 8) + (now % 1000).toString(16).padStart(3, "0") + id.slice(11);
}
