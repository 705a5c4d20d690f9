import { baseImageRoutes } from "./baseImageRoutes.ts";
import { chatAppRoutes } from "./chatAppRoutes.ts";
import { codeHostRoutes } from "./codeHosts/codeHostRoutes.ts";
import { systemHookRoutes } from "./codeHosts/systemHookRoutes.ts";
import { configurationRoutes } from "./configurationRoutes.ts";
import { databaseRoutes } from "./databaseRoutes.ts";
import { dockerfileRoutes } from "./dockerfileRoutes.ts";
import { issueTrackerRoutes } from "./issueTrackerRoutes.ts";
import { jenkinsRoutes } from "./jenkinsRoutes.ts";
import { mailHostRoutes } from "./mailHostRoutes.ts";
import { metricServerRoutes } from "./metricServerRoutes.ts";
import { sonarRoutes } from "./sonarRoutes.ts";
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
