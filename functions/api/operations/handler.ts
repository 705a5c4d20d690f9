import { createApi } from "../../../shared/http/createApi.ts";
import { listOperations } from "./listOperations.ts";
import { operationRoutes } from "./routes.ts";
import { toOperationLog } from "./wire.ts";

export const handler = createApi(operationRoutes, {
  listOperations: async ({ query }) => {
    const { records, total } = await listOperations(query);
    return { total, operation_logs: records.map(toOperationLog) };
  },
});
