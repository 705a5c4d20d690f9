import { createApi } from "../../../shared/http/createApi.ts";
import { baseImageHandlers } from "./baseImages.ts";
import { chatAppHandlers } from "./chatApps.ts";
import { codeHostHandlers } from "./codeHosts.ts";
import { dockerfileHandlers } from "./dockerfiles.ts";
import { mailHostHandlers } from "./mailHosts.ts";
import { metricServerHandlers } from "./metricServers.ts";
import { integrationRoutes } from "./routes.ts";
import { sonarHandlers } from "./sonarServers.ts";
import { strategyHandlers } from "./strategies.ts";
import { systemHookHandlers } from "./systemHooks.ts";

export const handler = createApi(integrationRoutes, {
  ...codeHostHandlers,
  ...baseImageHandlers,
  ...sonarHandlers,
  ...metricServerHandlers,
  ...dockerfileHandlers,
  ...mailHostHandlers,
  ...chatAppHandlers,
  ...systemHookHandlers,
  ...strategyHandlers,
});
