import { isRecord } from "../../../manifest/schema/kubeObject.ts";
import type { Tree } from "../../../manifest/tree.ts";

const places = [
  ["webhook_notification_config", "token"],
  ["webhook_notification_config", "secret"],
  ["webhook_notify", "token"],
] as const;

/** A stored setting with each of its tokens and secrets replaced by what `change` makes of it; empty ones stay. */
export function mapTokens<T>(ctl: T, change: (token: string) => string): T {
  if (!isRecord(ctl)) return ctl;
  let changed: Tree = ctl;
  for (const [config, field] of places) {
    const object = changed[config];
    const token = isRecord(object) ? object[field] : undefined;
    if (!isRecord(object) || typeof token !== "string" || token === "") continue;
    changed = { ...changed, [config]: { ...object, [field]: change(token) } };
  }
  return changed as T;
}
