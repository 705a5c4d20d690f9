import { enableReconciler } from "../../../../shared/base/reconciling/enableReconciler.ts";
import type { Handlers } from "../../../../shared/http/createApi.ts";
import { success } from "../../../../shared/http/schemas.ts";
import { notifyStarter } from "../../../../shared/workflows/triggers/intake/notifyStarter.ts";
import { listTriggers } from "../../../../shared/workflows/triggers/records/triggers.ts";
import { deleteTrigger, requireOwner } from "../../../../shared/workflows/triggers/saveTrigger.ts";
import type { triggerRoutes } from "./routes.ts";
import { ownerOf, presetArg, saveWanted, shownOf } from "./wanted.ts";

type CronIds = "listCrons" | "presetCron" | "addCron" | "changeCron" | "deleteCron";

const kind = "cron";

/** The scheduler learns of it a moment later. */
async function save(
  way: "add" | "replace",
  request: Parameters<Handlers<typeof triggerRoutes>["addCron" | "changeCron"]>[0],
) {
  const workflowKey = request.params.workflowName;
  const { name, cron, time_zone: timeZone } = request.body;
  await enableReconciler();
  await saveWanted(way, { workflowKey, kind }, request, (base, before) => ({
    ...{ ...base, kind, cron, timeZone, revision: (before?.revision ?? 0) + 1, unsynced: true },
  }));
  await notifyStarter({ workflowKey, sync: name });
  return success;
}

export const cronHandlers: Pick<Handlers<typeof triggerRoutes>, CronIds> = {
  listCrons: async ({ query: { workflowName } }) => {
    const found = await listTriggers(await ownerOf(workflowName), kind);
    return found.map((one) => ({ ...shownOf(one), cron: one.cron, time_zone: one.timeZone }));
  },
  presetCron: async ({ query }) => ({
    workflow_arg: presetArg((await requireOwner(query.workflowName)).definition),
    time_zone: "UTC",
  }),
  addCron: (request) => save("add", request),
  changeCron: (request) => save("replace", request),
  deleteCron: async ({ params: { workflowName: workflowKey, name } }) => {
    await enableReconciler();
    await deleteTrigger({ workflowKey, kind, name });
    await notifyStarter({ workflowKey, sync: name });
    return success;
  },
};
