import type { StoredText } from "../../../base/aws/objects/objectStore.ts";
import type { SealedSecret } from "../../../base/aws/secrets/sealedSecret.ts";
import { recordMetric } from "../../../base/metrics/recordMetric.ts";
import { mustHaveVersion } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { dues, keys, padded, type TaskPlace } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { ConditionFailed, type Item } from "../../../base/store/tableClient.ts";
import { create, update } from "../../../base/store/writes.ts";
import type { WebhookType } from "../rules/channels/channels.ts";

/** Which delivery: everything that its key is made of. */
export interface DeliveryRef extends TaskPlace {
  taskRecordId: string;
  deliveryId: string;
}

/** One try to send, Unix seconds; `problem` is empty when it arrived and absent while that is unknown. */
export interface DeliveryTry {
  at: number;
  problem?: string;
}

/** A notification on its way, or gone (contract W 15). */
export interface Delivery extends DeliveryRef {
  /** Of the task; for a status of a commit the task's retries so far. */
  attempt: number;
  /** The job task's name when it is about a job; empty otherwise. */
  jobName: string;
  event: string;
  /** The setting's place in its list; -1 for what no list has: the system-wide hook, the legacy callback, a commit. */
  index: number;
  type: WebhookType | "callback" | "commit-status";
  /** Readable: a host, a chat, a person, a mail address. */
  target: string;
  /** `X-Zadig-Event`, `X-Zadig-Event-UUID` and the like: the same in every repetition. */
  hookEvent: string;
  eventUuid: string;
  webhookUuid: string;
  /** This installation's address, as receivers are told it. */
  instance: string;
  /** JSON of the parts, in order. */
  content: StoredText;
  /** JSON of what only the sender may know; absent where that is in settings. */
  secrets?: SealedSecret;
  status: "pending" | "sent" | "failed";
  partsSent: number;
  tries: readonly DeliveryTry[];
  createdAt: number;
  /** 0 while it is pending. */
  endedAt: number;
}

/** Longer than a task is looked at; DynamoDB removes them after. */
const keptSeconds = 90 * 86_400;
/** Longer than one try takes; afterwards any process that finds the delivery continues with it. */
const tryingSeconds = 120;

/** Records that something is to be sent. @returns whether it is new; a repetition changes nothing */
export async function createDelivery(delivery: Delivery): Promise<boolean> {
  const { createdAt } = delivery;
  try {
    await table().write(
      create({
        ...keys.delivery(delivery, delivery.taskRecordId, delivery.deliveryId),
        type: "delivery",
        delivery,
        ttl: createdAt + keptSeconds,
        ...dueAt(delivery, createdAt),
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/** A delivery as it was read: what changes it must still meet the version. */
export interface ReadDelivery {
  delivery: Delivery;
  version: number;
  /** Until when, in Unix seconds, a process is working on it. */
  heldUntil: number;
}

/**
 * Whether a process may be working on a delivery now.
 * @param sendersEndedBefore Unix seconds: processes that took one before then have ended
 */
export function isHeld(heldUntil: number, sendersEndedBefore = 0): boolean {
  return heldUntil > nowSeconds() && heldUntil - tryingSeconds >= sendersEndedBefore;
}

type Stored = Item<{ delivery: Delivery; heldUntil?: number }>;

export async function findDelivery(ref: DeliveryRef): Promise<ReadDelivery | undefined> {
  const item = await table().get<Stored>(keys.delivery(ref, ref.taskRecordId, ref.deliveryId));
  return item && asRead(item);
}

/** All deliveries about the task of a delivery, as they are now. */
export async function deliveriesOfTask({ taskRecordId, ...place }: DeliveryRef): Promise<ReadDelivery[]> {
  const { pk } = keys.delivery(place, "", "");
  return (await table().query<Stored>({ pk, prefix: `${taskRecordId}#` })).map(asRead);
}

function asRead({ delivery, version, heldUntil = 0 }: Stored): ReadDelivery {
  return { delivery, version, heldUntil };
}

/** Everything that was sent about the newest task of that number, oldest first. */
export async function listDeliveries(place: TaskPlace): Promise<Delivery[]> {
  const { pk } = keys.delivery(place, "", "");
  const items = await table().query<Stored>({ pk, descending: true, consistent: false });
  // Ids begin with their time: the first one is of the newest task.
  const newest = items[0]?.delivery.taskRecordId;
  return items
    .map(({ delivery }) => delivery)
    .filter(({ taskRecordId }) => taskRecordId === newest)
    .sort((a, b) => a.createdAt - b.createdAt || a.index - b.index || (a.target < b.target ? -1 : 1));
}

/**
 * Writes how far a delivery is, and holds it for the time of one try, or for `seconds`: it is not due before that.
 * @returns it as it is now; undefined when another process changed it since it was read
 */
export async function recordDelivery(
  read: ReadDelivery,
  changes: Partial<Delivery>,
  seconds = tryingSeconds,
): Promise<ReadDelivery | undefined> {
  const delivery = { ...read.delivery, ...changes };
  const heldUntil = nowSeconds() + seconds;
  const written = await writeOver(read, { delivery, heldUntil, ...dueAt(delivery, heldUntil) });
  return written ? { delivery, version: read.version + 1, heldUntil } : undefined;
}

/** Writes how a delivery ended. @returns false when another process changed it since it was read */
export async function endDelivery(
  read: ReadDelivery,
  changes: Partial<Delivery> & { status: "sent" | "failed" },
): Promise<boolean> {
  const delivery = { ...read.delivery, ...changes, endedAt: nowSeconds() };
  if (!(await writeOver(read, { delivery }, ["duePk", "dueSk"]))) return false;
  recordMetric("deliveries", { type: delivery.type, outcome: changes.status }, 1);
  return true;
}

async function writeOver(
  { delivery, version }: ReadDelivery,
  set: Record<string, unknown>,
  unset: readonly string[] = [],
): Promise<boolean> {
  const key = keys.delivery(delivery, delivery.taskRecordId, delivery.deliveryId);
  return table().updateOne(update(key, { set, unset }, mustHaveVersion(version)));
}

/** Deliveries that have not ended, with the time after which no process is working on them; longest due first. */
export async function dueDeliveries(): Promise<{ ref: DeliveryRef; dueAt: number }[]> {
  const items = await table().query<{ dueSk: string }>({ index: "due", pk: dues.deliveries });
  return items.map(({ pk, sk, dueSk }) => {
    const [, projectKey = "", workflowKey = "", taskId = ""] = pk.split("#");
    const [taskRecordId = "", deliveryId = ""] = sk.split("#");
    return {
      ref: { projectKey, workflowKey, taskId: Number(taskId), taskRecordId, deliveryId },
      dueAt: Number(dueSk.split("#")[0]),
    };
  });
}

function dueAt({ taskRecordId, deliveryId }: DeliveryRef, time: number) {
  return { duePk: dues.deliveries, dueSk: `${padded(time)}#${taskRecordId}#${deliveryId}` };
}
