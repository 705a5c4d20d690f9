import { baseImageRoutes } from "./baseImageRoutes.ts";
import { chatAppRoutes } from "./chatAppRoutes.ts";
import { codeHostRoutes } from "./codeHosts/codeHostRoutes.ts";
import { systemHookRoutes } from "./codeHosts/systemHookRoutes.ts";
import { dockerfileRoutes } from "./dockerfileRoutes.ts";
import { mailHostRoutes } from "./mailHostRoutes.ts";
import { configurationRoutes } from "./servers/configurationRoutes.ts";
import { databaseRoutes } from "./servers/databaseRoutes.ts";
import { issueTrackerRoutes } from "./servers/issueTrackerRoutes.ts";
import { jenkinsRoutes } from "./servers/jenkinsRoutes.ts";
import { metricServerRoutes } from "./servers/metricServerRoutes.ts";
import { sonarRoutes } from "./servers/sonarRoutes.ts";
import { strategyRoutes } from "./strategyRoutes.ts";

export const integrationRoutes = {
  ...codeHostRoutes,
  ...baseImageRoutes,
  ...sonarRoutes,
  ...metricServerRoutes,
  ...jenkinsRoutes,
  ...databaseRoutes,
  ...configurationRoutes,
  ...issueTrackerRoutes,
  ...dockerfileRoutes,
  ...mailHostRoutes,
  ...chatAppRoutes,
  ...systemHookRoutes,
  ...strategyRoutes,
};
