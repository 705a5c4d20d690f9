import { mustBeOneOf } from "../store/conditions.ts";
import { keys } from "../store/keys.ts";
import { table } from "../store/table.ts";
import { tryWrite } from "../store/tryWrite.ts";
import { update } from "../store/writes.ts";

/**
 * How often the reconciler was called for, and the number at which it last found nothing to do. Indexes are read a moment
 * late; this item is read as it is, so that the reconciler never stops while somebody begins something.
 */
export interface ReconcilerCalls {
  value: number;
  quietAt?: number;
}

/** Tells that work begins which a crash could leave behind. */
export async function callReconciler(): Promise<void> {
  await table().add(keys.reconcilerCalls, 1);
}

export async function readReconcilerCalls(): Promise<ReconcilerCalls> {
  return (await table().get<ReconcilerCalls>(keys.reconcilerCalls)) ?? { value: 0, quietAt: 0 };
}

/** Notes that nothing was open while nobody called. */
export async function noteQuiet(calls: number): Promise<void> {
  // Once somebody called it is not quiet any more.
  await tryWrite(
    table().write(update(keys.reconcilerCalls, { set: { quietAt: calls } }, mustBeOneOf("value", [calls]))),
  );
}
