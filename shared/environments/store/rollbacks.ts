import { nowSeconds } from "../../store/ids.ts";
import { keys } from "../../store/keys.ts";
import { create, type Write } from "../../store/writes.ts";
import type { Change } from "./changes.ts";

/** Keeps who took a service of an environment back to an earlier version, when, from which and to which. */
export function storeRollback(change: Change, service: string, { from, to }: { from: number; to: number }): Write {
  const { projectKey, envKey, production, by, changeId } = change;
  const at = nowSeconds();
  return create({
    ...keys.rollback(projectKey, at, changeId, service),
    type: "rollback",
    projectKey,
    envKey,
    production,
    service,
    by,
    at,
    from,
    to,
  });
}
