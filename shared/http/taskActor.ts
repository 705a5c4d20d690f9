import type { TaskActor } from "../workflows/records/task.ts";
import type { Caller } from "./exchange.ts";

/** Who a task knows as its starter, or as the one who decides. */
export function taskActor({ uid, name, account }: Caller): TaskActor {
  return { uid, name, account };
}
