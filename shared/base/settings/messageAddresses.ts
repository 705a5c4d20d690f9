import { neverReached } from "./addressClass.ts";

/** Places of the addresses that messages go to. */
const addressPlaces = [
  ["lark_hook_notification_config", "hook_address"],
  ["wechat_notification_config", "hook_address"],
  ["dingding_notification_config", "hook_address"],
  ["msteams_notification_config", "hook_address"],
  ["webhook_notification_config", "address"],
  ["webhook_notify", "address"],
  ["weChat_webHook"],
  ["dingding_webhook"],
  ["feishu_webhook"],
] as const;

/** Addresses of a notification setting that are never reached (decisions 5.8); of the rest it is decided when something is sent. */
export function messageAddressProblems(ctl: Readonly<Record<string, unknown>>): { path: string[]; problem: string }[] {
  return addressPlaces.flatMap((path) => {
    const [field, inside] = path;
    const value =
      inside === undefined ? ctl[field] : (ctl[field] as Record<string, unknown> | null | undefined)?.[inside];
    const problem =
      typeof value === "string" && URL.canParse(value) ? neverReached(new URL(value).hostname) : undefined;
    return problem === undefined ? [] : [{ path: [...path], problem }];
  });
}
