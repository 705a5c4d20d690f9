import { definitionRoutes } from "./definitionRoutes.ts";
import { deliveryRoutes } from "./deliveryRoutes.ts";
import { viewRoutes } from "./viewRoutes.ts";

export const workflowRoutes = { ...definitionRoutes, ...deliveryRoutes, ...viewRoutes };
