import { createApi, type Handlers } from "../../../shared/http/createApi.ts";
import { type Delivery, listDeliveries } from "../../../shared/integrations/notify/store/deliveries.ts";
import { definitionHandlers } from "./definitionHandlers.ts";
import type { deliveryRoutes } from "./deliveryRoutes.ts";
import { legacyHandlers } from "./legacy/legacyHandlers.ts";
import { workflowRoutes } from "./routes.ts";
import { requireNumber } from "./tasks/requireTask.ts";
import { taskHandlers } from "./tasks/taskHandlers.ts";
import { cronHandlers } from "./triggers/crons.ts";
import { gitTriggerHandlers } from "./triggers/gitTriggers.ts";
import { hookDeliveryHandlers } from "./triggers/hookDeliveries.ts";
import type { triggerRoutes } from "./triggers/routes.ts";
import { secretHookHandlers } from "./triggers/secretHooks.ts";
import { workflowHookHandlers } from "./triggers/workflowHooks.ts";
import { viewHandlers } from "./viewHandlers.ts";

const triggerHandlers: Handlers<typeof triggerRoutes> = {
  ...secretHookHandlers,
  ...cronHandlers,
  ...gitTriggerHandlers,
  ...workflowHookHandlers,
  ...hookDeliveryHandlers,
};

const deliveryHandlers: Handlers<typeof deliveryRoutes> = {
  listDeliveries: async ({ query: { projectKey, workflowKey, taskId } }) => {
    await requireNumber({ key: workflowKey, projectKey }, taskId);
    const found = await listDeliveries({ projectKey, workflowKey, taskId });
    return { total: found.length, deliveries: found.map(toWire) };
  },
};

function toWire({ deliveryId, event, jobName, index, type, target, status, ...rest }: Delivery) {
  return {
    ...{ id: deliveryId, event, job_name: jobName, index, type, target, status, event_uuid: rest.eventUuid },
    ...{ create_time: rest.createdAt, end_time: rest.endedAt },
    tries: rest.tries.map(({ at, problem }) => ({
      time: at,
      problem: problem ?? "unknown: the sender ended before it reported",
    })),
  };
}

export const handler = createApi(workflowRoutes, {
  ...definitionHandlers,
  ...deliveryHandlers,
  ...viewHandlers,
  ...taskHandlers,
  ...legacyHandlers,
  ...triggerHandlers,
});
