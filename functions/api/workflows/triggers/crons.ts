import type { Handlers } from "../../../../shared/http/createApi.ts";
import { success } from "../../../../shared/http/schemas.ts";
import { taskActor } from "../../../../shared/http/taskActor.ts";
import { enableReconciler } from "../../../../shared/reconciling/enableReconciler.ts";
import { tellStarter } from "../../../../shared/triggers/intake/tellStarter.ts";
import { listTriggers } from "../../../../shared/triggers/records/triggers.ts";
import type { TriggerSaver } from "../../../../shared/triggers/rules/trigger.ts";
import { deleteTrigger, requireOwner, saveTrigger, type Wanted } from "../../../../shared/triggers/saveTrigger.ts";
import type { triggerRoutes } from "./routes.ts";
import { ownerOf, presetArg, shownOf, wantedOf } from "./wanted.ts";

type CronIds = "listCrons" | "presetCron" | "addCron" | "changeCron" | "deleteCron";

const kind = "cron";

/** The scheduler learns of it a moment later. */
async function save(
  way: "add" | "replace",
  workflowKey: string,
  wanted: Wanted,
  { cron, timeZone }: { cron: string; timeZone: string },
  saver: TriggerSaver,
) {
  await enableReconciler();
  await saveTrigger(way, { workflowKey, kind }, wanted, saver, (base, before) => ({
    ...{ ...base, kind, cron, timeZone, revision: (before?.revision ?? 0) + 1, unsynced: true },
  }));
  await tellStarter({ workflowKey, sync: wanted.name });
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
  addCron: ({ params, body, sentBody, caller }) =>
    save(
      "add",
      params.workflowName,
      wantedOf(body, sentBody),
      { ...body, timeZone: body.time_zone },
      taskActor(caller),
    ),
  changeCron: ({ params, body, sentBody, caller }) =>
    save(
      "replace",
      params.workflowName,
      wantedOf(body, sentBody),
      { ...body, timeZone: body.time_zone },
      taskActor(caller),
    ),
  deleteCron: async ({ params: { workflowName: workflowKey, name } }) => {
    await enableReconciler();
    await deleteTrigger({ workflowKey, kind, name });
    await tellStarter({ workflowKey, sync: name });
    return success;
  },
};
