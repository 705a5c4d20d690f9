import { createHash } from "node:crypto";
import type { StoredText } from "../../../base/aws/objects/objectStore.ts";
import { mustBeFreeOrBefore, mustBeOneOf } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { dues, keys, padded } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { ConditionFailed, type Item } from "../../../base/store/tableClient.ts";
import { create, type Update, update, type Write } from "../../../base/store/writes.ts";
import type { TriggerKind } from "../rules/trigger.ts";

/** Which delivery: everything that its key is made of. */
export interface HookDeliveryRef {
  workflowId: string;
  /** 24 hex characters, sorted by age; triggers that one call set going share it. */
  deliveryId: string;
  kind: TriggerKind;
  /** Name of the trigger. */
  trigger: string;
}

/** Something that sets a trigger going, and what came of it (decisions 12.10). */
export interface HookDelivery extends HookDeliveryRef {
  workflowKey: string;
  projectKey: string;
  /** `push`, `cron`, … */
  event: string;
  /** The caller's own id of it; empty where there is none. */
  sourceId: string;
  /** JSON of a `Payload`. */
  payload: StoredText;
  status: HookDeliveryStatus;
  /** 0 until a task is started. */
  taskId: number;
  /** Why none was, in a sentence. */
  problem: string;
  /** Id of the delivery that this one repeats; empty: none. */
  replayOf: string;
  /** Unix seconds. */
  createdAt: number;
  endedAt: number;
}

export const hookDeliveryStatuses = ["accepted", "started", "ignored", "failed"] as const;
export type HookDeliveryStatus = (typeof hookDeliveryStatuses)[number];

/** How long a repeated call is known again (decisions 12.10). */
const seenSeconds = 7 * 86_400;
const keptSeconds = 90 * 86_400;
/** Of those that are ignored at once: there are many, and users ask soon why nothing started. */
const keptUnmeantSeconds = 14 * 86_400;

/**
 * Records what came in, all of it or nothing.
 * @param seen names the call among all calls; the same name within seven days is a repetition; absent: it is new
 * @returns the id of the call: that of the first call, where this one repeats it
 */
export async function recordHookDeliveries(
  seen: string | undefined,
  deliveryId: string,
  deliveries: readonly HookDelivery[],
): Promise<{ deliveryId: string; isNew: boolean }> {
  const known = seen && keys.hookSeen(createHash("sha256").update(seen).digest("hex"));
  const now = nowSeconds();
  const mark: Write[] =
    known === undefined || known === ""
      ? []
      : [
          {
            kind: "put",
            item: { ...known, type: "hook-seen", version: 1, deliveryId, ttl: now + seenSeconds },
            condition: mustBeFreeOrBefore("ttl", now),
          },
        ];
  const writes = [...mark, ...deliveries.map(creationOf)];
  try {
    if (writes.length > 0) await table().write(...writes);
    return { deliveryId, isNew: true };
  } catch (error) {
    const first = error instanceof ConditionFailed && known ? await table().get<Seen>(known) : undefined;
    if (first === undefined) throw error;
    return { deliveryId: first.deliveryId, isNew: false };
  }
}

type Seen = { deliveryId: string };

export function creationOf(delivery: HookDelivery): Write {
  const { workflowId, deliveryId, kind, trigger, createdAt, status } = delivery;
  const isOpen = status === "accepted";
  return create({
    ...keys.hookDelivery(workflowId, deliveryId, kind, trigger),
    type: "hook-delivery",
    ...delivery,
    ttl: createdAt + (isOpen ? keptSeconds : keptUnmeantSeconds),
    ...(isOpen && { duePk: dues.hookDeliveries, dueSk: `${padded(createdAt)}#${deliveryId}` }),
  });
}

export function findHookDelivery(ref: HookDeliveryRef): Promise<Item<HookDelivery> | undefined> {
  return table().get<HookDelivery>(keyOf(ref));
}

/** The newest ones of a workflow, or those of one call. */
export function listHookDeliveries(
  workflowId: string,
  { deliveryId = "", limit }: { deliveryId?: string; limit: number },
): Promise<Item<HookDelivery>[]> {
  const { pk } = keys.hookDelivery(workflowId, "", "", "");
  const prefix = deliveryId === "" ? {} : { prefix: `${deliveryId}#` };
  return table().query<HookDelivery>({ pk, ...prefix, descending: true, limit, consistent: false });
}

/**
 * How a delivery ends, once: for the transaction that starts its task, and alone where none is started. When it loses,
 * another process did the same work at the same moment.
 */
export function endHookDelivery(
  ref: HookDeliveryRef,
  end: Pick<HookDelivery, "status"> & Partial<Pick<HookDelivery, "taskId" | "problem">>,
): Update {
  const change = { set: { ...end, endedAt: nowSeconds() }, unset: ["duePk", "dueSk"] };
  return update(keyOf(ref), change, mustBeOneOf("status", ["accepted"]));
}

/** Deliveries that have not ended, oldest first. */
export async function dueHookDeliveries(): Promise<HookDeliveryRef[]> {
  const items = await table().query<object>({ index: "due", pk: dues.hookDeliveries });
  return items.map(({ pk, sk }) => {
    const [deliveryId = "", kind = "", trigger = ""] = sk.split("#");
    return { workflowId: pk.slice(pk.indexOf("#") + 1), deliveryId, kind: kind as TriggerKind, trigger };
  });
}

function keyOf({ workflowId, deliveryId, kind, trigger }: HookDeliveryRef) {
  return keys.hookDelivery(workflowId, deliveryId, kind, trigger);
}
