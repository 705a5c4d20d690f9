import { nowSeconds } from "../../base/store/ids.ts";
import {
  type Delivery,
  type DeliveryRef,
  deliveriesOfTask,
  endDelivery,
  isHeld,
  type ReadDelivery,
} from "./store/deliveries.ts";

/** Runs of a task begin, then end. */
function placeOf({ attempt, event }: Delivery): number {
  return attempt * 2 + (event === "created" ? 0 : 1);
}

/**
 * Whether a status may be set at its commit now: a code host shows the one that it receives last, so the statuses of a
 * task go out in order. An earlier one that no process is sending is dropped; one that is under way is waited for.
 */
export async function isNext(delivery: Delivery, sendersEndedBefore?: number): Promise<boolean> {
  for (const former of await pendingOf(delivery)) {
    if (placeOf(former.delivery) >= placeOf(delivery)) continue;
    const { tries } = former.delivery;
    const isUnderWay = tries.length > 0 && tries.at(-1)?.problem === undefined;
    if (isUnderWay && isHeld(former.heldUntil, sendersEndedBefore)) return false;
    const said = { at: nowSeconds(), problem: `not sent: the task was ${delivery.event} since` };
    const known = isUnderWay ? tries.slice(0, -1) : tries;
    if (!(await endDelivery(former, { status: "failed", tries: [...known, said] }))) return false;
  }
  return true;
}

/** What waited for a status of the same task to be gone. */
export async function nextAfter(delivery: Delivery): Promise<DeliveryRef | undefined> {
  const later = (await pendingOf(delivery))
    .map((one) => one.delivery)
    .filter((one) => placeOf(one) > placeOf(delivery));
  return later.sort((a, b) => placeOf(b) - placeOf(a))[0];
}

async function pendingOf(ref: DeliveryRef): Promise<ReadDelivery[]> {
  const found = await deliveriesOfTask(ref);
  return found.filter(({ delivery: { type, status } }) => type === "commit-status" && status === "pending");
}
