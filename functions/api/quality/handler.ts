import { createApi } from "../../../shared/http/createApi.ts";
import { qualityRoutes } from "./routes.ts";
import { scanHandlers } from "./scans.ts";
import { taskHandlers } from "./tasks.ts";
import { testHandlers } from "./tests.ts";

export const handler = createApi(qualityRoutes, { ...testHandlers, ...scanHandlers, ...taskHandlers });
