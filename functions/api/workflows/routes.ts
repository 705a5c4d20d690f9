import { definitionRoutes } from "./definitionRoutes.ts";
import { viewRoutes } from "./viewRoutes.ts";

export const workflowRoutes = { ...definitionRoutes, ...viewRoutes };
