import { unseal } from "../../aws/secrets/sealedSecret.ts";
import { sendCallback } from "../../notify/sendCallback.ts";
import { config } from "../../settings/config.ts";
import type { WholeTask } from "../records/findTasks.ts";
import { callbackOwner, type LegacyCallbackSettings } from "../records/legacyTask.ts";
import { builtImages } from "../records/rules/builtImages.ts";
import { legacyStatus } from "../records/rules/legacyStatus.ts";

/** Reports the end of a task to the callback that the older API got, if any (contract I 10.7). May be repeated. */
export async function tellCallback(whole: WholeTask): Promise<void> {
  const { legacy, recordId, owner, taskId, attempt, status, error } = whole.task;
  if (legacy?.callback === undefined) return;
  const { url, secret, vars }: LegacyCallbackSettings = JSON.parse(
    await unseal(legacy.callback, callbackOwner(recordId)),
  );
  const about = {
    ...{ taskRecordId: recordId, attempt, taskId, baseUrl: config().SLIPWAY_CONSOLE_ADDRESS },
    ...{ projectKey: owner.projectKey, workflowKey: owner.key },
  };
  await sendCallback(about, {
    ...{ callbackUrl: url, callbackVars: vars, secret, status: legacyStatus(status) },
    ...{ taskId, workflowName: owner.key, error, images: builtImages(whole) },
  });
}
