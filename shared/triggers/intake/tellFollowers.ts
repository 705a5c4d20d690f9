import { log } from "../../settings/log.ts";
import type { WholeTask } from "../../workflows/records/findTasks.ts";
import { triggersAfter } from "../records/triggers.ts";
import { followedEndings } from "../rules/trigger.ts";
import { acceptHookDeliveries } from "./acceptHookDeliveries.ts";
import { tellStarter } from "./tellStarter.ts";

/**
 * Sets going what follows a workflow, when one of its tasks has ended. May be repeated: the end of each attempt counts
 * once.
 */
export async function tellFollowers({ task, plan }: WholeTask): Promise<void> {
  const { owner, taskId, status, attempt, creator, remark } = task;
  const ending = followedEndings.find((one) => one === status);
  if (owner.kind !== "workflow" || ending === undefined) return;
  const triggers = (await triggersAfter(owner.id)).filter(({ endings }) => endings.includes(ending));
  if (triggers.length === 0) return;
  const parameters = Object.fromEntries(plan.params.map(({ name, value }) => [name, value]));
  const { deliveryId, deliveries } = await acceptHookDeliveries({
    ...{ triggers, event: status, source: `workflow#${owner.id}`, sourceId: `${taskId}-${attempt}` },
    payload: {
      trigger: {
        ...{ event: status, workflow: owner.key, project: owner.projectKey },
        ...{ task_id: String(taskId), status, creator: creator.name },
      },
      body: { remark, parameters },
    },
  });
  log.info("workflows follow", { workflow: owner.key, taskId, status, count: deliveries.length });
  for (const { workflowId, kind, trigger } of deliveries) await tellStarter({ workflowId, deliveryId, kind, trigger });
}
