import { createApi } from "../../../shared/http/createApi.ts";
import { exportOperations } from "./exportOperations.ts";
import { listEnvironmentOperations } from "./listEnvironmentOperations.ts";
import { listOperations } from "./listOperations.ts";
import { operationRoutes } from "./routes.ts";
import { toOperationLogs } from "./wire.ts";

export const handler = createApi(operationRoutes, {
  listOperations: async ({ query }) => toOperationLogs(await listOperations(query)),
  exportOperations: async ({ query, setHeader }) => {
    const { lines, last } = await exportOperations(query.after, query.limit);
    setHeader("x-last-sequence", String(last));
    return lines;
  },
  listEnvironmentOperations: async ({ query }) => toOperationLogs(await listEnvironmentOperations(query, query)),
});
