import { createApi } from "../../../shared/http/createApi.ts";
import { definitionHandlers } from "./definitionHandlers.ts";
import { deliveryHandlers } from "./deliveryHandlers.ts";
import { legacyHandlers } from "./legacyHandlers.ts";
import { workflowRoutes } from "./routes.ts";
import { taskHandlers } from "./taskHandlers.ts";
import { triggerHandlers } from "./triggers/handlers.ts";
import { viewHandlers } from "./viewHandlers.ts";

export const handler = createApi(workflowRoutes, {
  ...definitionHandlers,
  ...deliveryHandlers,
  ...viewHandlers,
  ...taskHandlers,
  ...legacyHandlers,
  ...triggerHandlers,
});
