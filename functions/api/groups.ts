import type { Routes } from "../../shared/http/route.ts";
import { artifactRoutes } from "./artifacts/routes.ts";
import { buildRoutes } from "./builds/routes.ts";
import { clusterRoutes } from "./clusters/routes.ts";
import { collaborationRoutes } from "./collaborations/routes.ts";
import { deliveryRoutes } from "./delivery/routes.ts";
import { environmentRoutes } from "./environments/routes.ts";
import { eventRoutes } from "./events/routes.ts";
import { identityRoutes } from "./identity/routes.ts";
import { integrationRoutes } from "./integrations/routes.ts";
import { labelRoutes } from "./labels/routes.ts";
import { logRoutes } from "./logs/routes.ts";
import { metaRoutes } from "./meta/routes.ts";
import { operationRoutes } from "./operations/routes.ts";
import { policyRoutes } from "./policy/routes.ts";
import { projectRoutes } from "./projects/routes.ts";
import { qualityRoutes } from "./quality/routes.ts";
import { registryRoutes } from "./registries/routes.ts";
import { releasePlanRoutes } from "./releaseplans/routes.ts";
import { serviceRoutes } from "./services/routes.ts";
import { ssoRoutes } from "./sso/routes.ts";
import { statisticsRoutes } from "./statistics/routes.ts";
import { templateRoutes } from "./templates/routes.ts";
import { workflowRoutes } from "./workflows/routes.ts";

/** One Lambda function of the API: its declarations and the path prefixes that are sent to it. */
export interface Group {
  name: string;
  /** Without parameters; the longest prefix that fits a path decides. */
  prefixes: readonly `/${string}`[];
  routes: Routes;
  /** Groups that reach a cluster carry the Kubernetes client and may be larger (decisions 4.3). */
  reachesCluster: boolean;
  /** It answers with files besides. */
  hasFiles?: boolean;
}

/** Every endpoint group. The local gateway, the infrastructure, the document and the tests read this list. */
export const groups: readonly Group[] = [
  {
    name: "identity",
    prefixes: [
      "/api/v1",
      "/api/aslan/system/initialization",
      "/api/aslan/system/rsaKey",
      "/api/aslan/system/security",
      "/api/aslan/system/concurrency",
      "/api/aslan/system/prices",
      "/openapi/users",
      "/openapi/user-groups",
    ],
    routes: identityRoutes,
    reachesCluster: false,
  },
  { name: "sso", prefixes: ["/api/v1/sso", "/api/v1/login-enabled"], routes: ssoRoutes, reachesCluster: false },
  { name: "policy", prefixes: ["/openapi/policy"], routes: policyRoutes, reachesCluster: false },
  {
    name: "collaborations",
    prefixes: ["/openapi/collaborations"],
    routes: collaborationRoutes,
    reachesCluster: true,
  },
  { name: "operations", prefixes: ["/openapi/system/operation"], routes: operationRoutes, reachesCluster: false },
  {
    name: "clusters",
    prefixes: ["/openapi/system/cluster", "/openapi/cluster"],
    routes: clusterRoutes,
    reachesCluster: true,
  },
  {
    name: "registries",
    prefixes: ["/openapi/system/registry", "/api/aslan/system/registry"],
    routes: registryRoutes,
    reachesCluster: false,
  },
  {
    name: "projects",
    prefixes: ["/openapi/projects", "/openapi/system/projects", "/api/aslan/project"],
    routes: projectRoutes,
    reachesCluster: true,
  },
  {
    name: "environments",
    prefixes: ["/openapi/environments", "/api/aslan/environment"],
    routes: environmentRoutes,
    reachesCluster: true,
  },
  { name: "services", prefixes: ["/openapi/service"], routes: serviceRoutes, reachesCluster: false },
  {
    name: "templates",
    prefixes: ["/openapi/templates", "/api/aslan/template", "/api/aslan/system/helm"],
    routes: templateRoutes,
    reachesCluster: false,
  },
  {
    name: "labels",
    prefixes: ["/api/aslan/system/labels", "/api/aslan/service"],
    routes: labelRoutes,
    reachesCluster: false,
  },
  {
    name: "integrations",
    prefixes: [
      "/api/aslan/system/codehosts",
      "/api/aslan/system/basicImages",
      "/api/aslan/system/sonar",
      "/api/aslan/system/observability",
      "/api/aslan/system/cicdTools",
      "/api/aslan/system/dbinstance",
      "/api/aslan/system/configuration",
      "/api/aslan/system/project_management",

      "/api/aslan/template/dockerfile",
      "/api/aslan/system/email",
      "/api/aslan/system/im-apps",
      "/api/aslan/system/webhook",
      "/api/aslan/cluster",
    ],
    routes: integrationRoutes,
    reachesCluster: false,
  },
  {
    name: "builds",
    prefixes: ["/openapi/build", "/api/aslan/template/build"],
    routes: buildRoutes,
    reachesCluster: false,
  },
  {
    name: "workflows",
    prefixes: ["/openapi/workflows", "/api/aslan/workflow", "/api/aslan/webhook", "/api/directory/workflowTask"],
    routes: workflowRoutes,
    reachesCluster: false,
  },
  {
    name: "releaseplans",
    prefixes: [
      "/openapi/release_plan",
      "/api/aslan/release_plan",
      "/api/callback/release_plan",
      "/api/aslan/system/lark",
      "/api/aslan/system/dingtalk",
      "/api/aslan/system/workwx",
    ],
    routes: releasePlanRoutes,
    reachesCluster: true,
  },
  { name: "statistics", prefixes: ["/openapi/statistics"], routes: statisticsRoutes, reachesCluster: false },
  {
    name: "delivery",
    prefixes: ["/openapi/delivery", "/api/aslan/delivery/releases", "/api/directory/dc/releases"],
    routes: deliveryRoutes,
    reachesCluster: true,
  },
  {
    name: "artifacts",
    prefixes: ["/openapi/artifacts", "/api/aslan/delivery/artifacts", "/api/directory/dc/artifact"],
    routes: artifactRoutes,
    reachesCluster: false,
  },
  { name: "quality", prefixes: ["/openapi/quality"], routes: qualityRoutes, reachesCluster: false },
  { name: "logs", prefixes: ["/openapi/logs", "/api/aslan/logs"], routes: logRoutes, reachesCluster: true },
  { name: "events", prefixes: ["/openapi/events"], routes: eventRoutes, reachesCluster: true },
  /** Answers what no other prefix fits: the console, the API's document, else 404. */
  { name: "meta", prefixes: ["/"], routes: metaRoutes, reachesCluster: false, hasFiles: true },
];

/**
 * Whether some answers of a group go out while they come to be; then all of them are sent that way. Files are, because
 * API Gateway passes bytes on as they are in streams alone, whatever a browser says that it takes.
 */
export function isStreaming({ routes, hasFiles }: Pick<Group, "routes" | "hasFiles">): boolean {
  if (hasFiles === true) return true;
  return Object.values(routes).some(({ responseType }) => responseType === "events" || responseType === "stream");
}
