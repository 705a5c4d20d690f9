import { definitionRoutes } from "./definitionRoutes.ts";
import { deliveryRoutes } from "./deliveryRoutes.ts";
import { legacyRoutes } from "./legacyRoutes.ts";
import { taskRoutes } from "./taskRoutes.ts";
import { triggerRoutes } from "./triggers/routes.ts";
import { viewRoutes } from "./viewRoutes.ts";

export const workflowRoutes = {
  ...definitionRoutes,
  ...deliveryRoutes,
  ...viewRoutes,
  ...taskRoutes,
  ...legacyRoutes,
  ...triggerRoutes,
};
