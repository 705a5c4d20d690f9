import { definitionRoutes } from "./definitionRoutes.ts";
import { deliveryRoutes } from "./deliveryRoutes.ts";
import { legacyRoutes } from "./legacy/legacyRoutes.ts";
import { taskRoutes } from "./tasks/taskRoutes.ts";
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
