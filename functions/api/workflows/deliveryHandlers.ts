import type { Handlers } from "../../../shared/http/createApi.ts";
import { type Delivery, listDeliveries } from "../../../shared/notify/store/deliveries.ts";
import type { deliveryRoutes } from "./deliveryRoutes.ts";
import { requireNumber } from "./requireTask.ts";

export const deliveryHandlers: Handlers<typeof deliveryRoutes> = {
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
