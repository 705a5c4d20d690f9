import { mustBeOneOf } from "../store/conditions.ts";
import { keys } from "../store/keys/keys.ts";
import { table } from "../store/table.ts";
import { tryWrite } from "../store/tryWrite.ts";
import { update } from "../store/writes.ts";

/**
 * How often the reconciler was called for, and the number at which it last found nothing to do. Indexes are read a moment
 * late; this item is read as it is, so that the reconciler never stops while work begins.
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

/** Notes that nothing was open, unless the reconciler was called meanwhile. */
export async function recordQuiet(calls: number): Promise<void> {
  // After another call it is no longer quiet.
  await tryWrite(
    table().write(update(keys.reconcilerCalls, { set: { quietAt: calls } }, mustBeOneOf("value", [calls]))),
  );
}
