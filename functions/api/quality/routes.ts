import { scanRoutes } from "./scanRoutes.ts";
import { testRoutes } from "./testRoutes.ts";

export const qualityRoutes = { ...testRoutes, ...scanRoutes };
