import { storeText } from "../../../base/aws/objects/objectStore.ts";
import { enableReconciler } from "../../../base/reconciling/enableReconciler.ts";
import { newId, nowSeconds } from "../../../base/store/ids.ts";
import { packTransactions } from "../../../base/store/packTransactions.ts";
import { creationOf, type HookDelivery, recordHookDeliveries } from "../records/hookDeliveries.ts";
import type { Payload } from "../rules/payload.ts";
import type { Trigger } from "../rules/trigger.ts";

/** What came in, and for whom. */
export interface Accepted {
  triggers: readonly (Pick<Trigger, "workflowId" | "workflowKey" | "projectKey" | "kind" | "name"> & {
    /** Why it starts nothing: its delivery has ended then. */
    ignoredFor?: string;
  })[];
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
 * 12.10). A repetition changes nothing, but makes up for what a kill in between left out.
 * @returns the id that its deliveries share, and the deliveries that are new
 */
export async function acceptHookDeliveries(
  given: Accepted,
): Promise<{ deliveryId: string; deliveries: readonly HookDelivery[] }> {
  const { event, source, sourceId, replayOf = "" } = given;
  await enableReconciler();
  const createdAt = nowSeconds();
  const payload = await storeText(JSON.stringify(given.payload));
  const triggers = [...given.triggers].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  let deliveryId = orderedId();
  const deliveries = triggers.map(({ workflowId, workflowKey, projectKey, kind, name, ignoredFor }): HookDelivery => {
    const ref = { workflowId, deliveryId, kind, trigger: name };
    const begun = { ...ref, workflowKey, projectKey, event, sourceId, payload, replayOf, taskId: 0, createdAt };
    if (ignoredFor !== undefined) return { ...begun, status: "ignored", problem: ignoredFor, endedAt: createdAt };
    return { ...begun, status: "accepted", problem: "", endedAt: 0 };
  });
  const brought: HookDelivery[] = [];
  let from = 0;
  const parts = packTransactions(deliveries.map((delivery) => [creationOf(delivery)]));
  // A call that no trigger listens to is recognized again all the same.
  for (const { length } of parts.length === 0 ? [[]] : parts) {
    const part = deliveries.slice(from, from + length).map((delivery) => ({ ...delivery, deliveryId }));
    const seen = sourceId === "" ? undefined : [source, sourceId, ...(from === 0 ? [] : [from])].join("#");
    const recorded = await recordHookDeliveries(seen, deliveryId, part);
    // Those of a repetition have the id that was answered first.
    deliveryId = recorded.deliveryId;
    if (recorded.isNew) brought.push(...part);
    from += length;
  }
  return { deliveryId, deliveries: brought };
}

const nameOf = ({ workflowId, kind, name }: Accepted["triggers"][number]) => `${workflowId}#${kind}#${name}`;

/** A record id that sorts by the millisecond: of two calls the later one has the greater id. */
function orderedId(): string {
  const now = Date.now();
  const id = newId(Math.floor(now / 1000));
  return id.slice(0, 8) + (now % 1000).toString(16).padStart(3, "0") + id.slice(11);
}
