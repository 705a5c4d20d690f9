import { scanRoutes } from "./scanRoutes.ts";
import { taskRoutes } from "./taskRoutes.ts";
import { testRoutes } from "./testRoutes.ts";

export const qualityRoutes = { ...testRoutes, ...scanRoutes, ...taskRoutes };
