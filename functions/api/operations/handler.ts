import { createApi } from "../../../shared/http/createApi.ts";
import { listOperations } from "./listOperations.ts";
import { operationRoutes } from "./routes.ts";

export const handler = createApi(operationRoutes, {
  listOperations: async ({ query }) => {
    const { records, total } = await listOperations(query);
    return {
      total,
      operation_logs: records.map(({ projectKey, requestBody, bodyType, createdAt, ...record }) => ({
        ...record,
        project_key: projectKey,
        request_body: requestBody,
        body_type: bodyType,
        created_at: createdAt,
      })),
    };
  },
});
