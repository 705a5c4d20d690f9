import type { TaskActor } from "../workflows/records/task.ts";
import type { Caller } from "./exchange.ts";

/** Who a task, trigger or plan knows as the one who starts, saves or decides, with the limits of the token that was used. */
export function taskActor({ uid, name, account, grants, tokenEndsAt }: Caller): TaskActor {
  const limits = { ...grants.limits, ...(tokenEndsAt !== undefined && { expiresAt: tokenEndsAt }) };
  return { uid, name, account, ...(Object.keys(limits).length > 0 && { limits }) };
}
