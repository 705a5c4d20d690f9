import { type ApiError, badRequest } from "../../../shared/base/errors/apiError.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { retryOnConflict } from "../../../shared/base/store/retryOnConflict.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { taskActor } from "../../../shared/http/taskActor.ts";
import { sealFields } from "../../../shared/integrations/sealFields.ts";
import { changePlan } from "../../../shared/releaseplans/changePlan.ts";
import {
  hookRecord,
  putHookSetting,
  type ReadHookSetting,
  readHookSetting,
} from "../../../shared/releaseplans/records/hookSetting.ts";
import { callBack } from "../../../shared/releaseplans/rules/callback.ts";
import { maskedValue } from "../../../shared/workflows/definition/script/keyVal.ts";
import type { HookSettingBody, hookRoutes } from "./hookRoutes.ts";
import { verbRefusal } from "./rights.ts";

type Hooks = Handlers<typeof hookRoutes>;

/** The query of an address may be a credential of its own. */
const readSetting: Hooks["getReleasePlanHook"] = async ({ caller }) => {
  const { setting, hasSecret } = await readHookSetting();
  const { enable, enableCallBack, address, events } = setting;
  const mayChange = verbRefusal(caller, "edit_config_release_plan") === undefined;
  return {
    ...{ enable, enable_call_back: enableCallBack, hook_secret: hasSecret ? maskedValue : "" },
    ...{ hook_address: mayChange ? address : address.replace(/[?].*$/s, ""), hook_events: [...events] },
  };
};

const setSetting: Hooks["setReleasePlanHook"] = async ({ body }) => {
  const isNew = body.hook_secret !== undefined && body.hook_secret !== maskedValue;
  const secrets = await sealFields(hookRecord.kind, hookRecord.id, isNew ? { secret: body.hook_secret ?? "" } : {});
  await retryOnConflict(async () => {
    const before = await readHookSetting();
    const hasSecret = isNew ? body.hook_secret !== "" : keepsSecret(before, body);
    if (body.enable && !hasSecret)
      throw secretProblem("is required when enable is true: receivers know the sender by it");
    const { enable, enable_call_back: enableCallBack, hook_address: address, hook_events: events } = body;
    await putHookSetting(before, { enable, enableCallBack, address, events }, hasSecret, secrets);
  });
  return success;
};

/** A stored secret is not sent to a server that it was not given for. */
function keepsSecret({ hasSecret, setting }: ReadHookSetting, { hook_secret, hook_address }: HookSettingBody): boolean {
  if (!hasSecret && hook_secret === maskedValue)
    throw secretProblem(`${maskedValue} keeps the stored secret, but none is stored; send its value`);
  const origin = (address: string) => URL.parse(address)?.origin;
  if (hasSecret && hook_address !== "" && origin(hook_address) !== origin(setting.address))
    throw secretProblem("must be sent again, because hook_address leads to another server");
  return hasSecret;
}

function secretProblem(problem: string): ApiError {
  return badRequest([{ in: "body", path: "hook_secret", problem }]);
}

/** What is off is off for plans that still wait, too. */
const answer: Hooks["answerReleasePlanHook"] = async ({ body, caller }) => {
  const { enable, enableCallBack } = (await readHookSetting()).setting;
  const { release_plan_id: planId, instance_code: instanceCode, hook_event: event, result, description } = body;
  const said = { event, result, failedReason: body.failed_reason, description, instanceCode };
  const callback = { ...said, by: taskActor(caller), now: nowSeconds() };
  if (enable && enableCallBack) await changePlan(planId, (plan) => callBack(plan, callback));
  return success;
};

export const hookHandlers: Hooks = {
  answerConsoleReleasePlanHook: answer,
  answerReleasePlanHook: answer,
  answerReleasePlanHookAtRoot: answer,
  getConsoleReleasePlanHook: readSetting,
  getReleasePlanHook: readSetting,
  setConsoleReleasePlanHook: setSetting,
  setReleasePlanHook: setSetting,
};
