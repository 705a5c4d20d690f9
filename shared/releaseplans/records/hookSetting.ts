import type { Item } from "../../base/store/tableClient.ts";
import { type Integration, integrationStore, type SealedFields } from "../../integrations/store/integrationStore.ts";
import type { HookEvent, PlanHooks } from "../rules/plan.ts";

/** Who is told of release plans, or asked whether they may go on: one for all plans. */
export interface HookSetting {
  enable: boolean;
  /** Plans wait for the answer. */
  enableCallBack: boolean;
  address: string;
  events: readonly HookEvent[];
}

const records = integrationStore<HookSetting>("release-plan-hook");
/** Its one record; the sealed field is `secret`. */
export const hookRecord = { kind: records.kind, id: "release-plan-hook" } as const;
const none: HookSetting = { enable: false, enableCallBack: false, address: "", events: [] };

export interface ReadHookSetting {
  setting: HookSetting;
  hasSecret: boolean;
  item: Item<Integration<HookSetting>> | undefined;
}

/** Disabled and empty until a user sets it. */
export async function readHookSetting(): Promise<ReadHookSetting> {
  const item = await records.find(hookRecord.id);
  return { setting: item?.shown ?? none, hasSecret: item?.secretFields.includes("secret") ?? false, item };
}

/**
 * Replaces the setting that was read.
 * @param secrets the new ones; with `hasSecret` and no new one the stored secret stays
 * @throws ConditionFailed when another call has set it since
 */
export function putHookSetting(
  before: ReadHookSetting,
  setting: HookSetting,
  hasSecret: boolean,
  secrets: SealedFields,
) {
  const { id } = hookRecord;
  const after = { id, name: id, shown: setting, kept: {}, secretFields: hasSecret ? ["secret"] : [] };
  return before.item === undefined ? records.create(after, secrets) : records.change(before.item, after, secrets);
}

/** What a plan goes by from its next edit on: a snapshot without address and secret, which are those of when it is sent. */
export async function hooksOfNow(): Promise<PlanHooks> {
  const { enable, enableCallBack, events } = (await readHookSetting()).setting;
  return { enable, enableCallBack, events };
}
