import { bindingRoutes } from "./bindingRoutes.ts";
import { roleRoutes } from "./roleRoutes.ts";

export const policyRoutes = { ...roleRoutes, ...bindingRoutes };
