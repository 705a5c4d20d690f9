import type * as z from "zod";
import { findCluster, type SchedulingStrategy } from "../../../shared/clusters/store/clusters.ts";
import { strategiesOf } from "../../../shared/clusters/strategies.ts";
import { notFound } from "../../../shared/errors/apiError.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { addStrategy, putStrategy, removeStrategy } from "./changeStrategies.ts";
import type { newStrategy, strategy as shape, strategyRoutes } from "./strategyRoutes.ts";

export const strategyHandlers: Handlers<typeof strategyRoutes> = {
  listStrategies: async ({ params }) => {
    const cluster = await findCluster(params.id);
    if (cluster === undefined) throw notFound(`cluster ${params.id}`);
    return strategiesOf(cluster).map(answerOf);
  },
  addStrategy: async ({ params, body }) => ({ ...success, id: await addStrategy(params.id, toStrategy(body)) }),
  setStrategy: async ({ params, body }) => ({
    ...success,
    id: await putStrategy(params.id, body.id, toStrategy(body)),
  }),
  deleteStrategy: async ({ params }) => {
    await removeStrategy(params.id, params.strategyId);
    return success;
  },
};

function toStrategy(body: z.output<typeof newStrategy>): Omit<SchedulingStrategy, "strategyId"> {
  const { name, strategy, node_labels: nodeLabels, tolerations, default: isDefault } = body;
  return { name, strategy, nodeLabels, tolerations, isDefault };
}

function answerOf({ strategyId, ...shown }: SchedulingStrategy): z.input<typeof shape> {
  const { name, strategy, nodeLabels, tolerations, isDefault } = shown;
  return { id: strategyId, name, strategy, node_labels: [...nodeLabels], tolerations, default: isDefault };
}
