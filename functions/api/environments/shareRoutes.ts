import * as z from "zod";
import { defineRoute, fromPath } from "../../../shared/http/route.ts";
import { message } from "../../../shared/http/schemas.ts";
import { audit, configures, envOfPath, project, tag, verb } from "./routeParts.ts";
import { envParams, projectQuery } from "./schemas.ts";

const common = {
  tag,
  permission: verb(configures.test),
  scope: { project, environment: fromPath("envName") },
  params: envParams,
  query: z.object(projectQuery),
};

const words = { function: "Environment", body: "none" } as const;

/** Contract P 9.3. */
const shareReadiness = z
  .object({
    is_ready: z.boolean(),
    checks: z.object({
      namespace_has_istio_label: z.boolean(),
      virtualservice_deployed: z.boolean(),
      pods_have_istio_proxy: z.boolean(),
      workloads_ready: z.boolean(),
      workloads_have_k8s_service: z.boolean(),
    }),
  })
  .meta({ id: "ShareReadiness" });

const workloadCheck = {
  ...common,
  method: "GET" as const,
  summary: "List the Deployments and StatefulSets of an environment that no Service selects",
  response: z.array(z.string()),
};

/** Bases of sub-environments (contract P 9): test environments only. */
export const shareRoutes = {
  checkWorkloads: defineRoute({ ...workloadCheck, path: "/openapi/environments/:envName/check/workloads/k8sservices" }),
  checkWorkloadsByShortName: defineRoute({
    ...workloadCheck,
    path: "/openapi/environments/:envName/check/workloads/k8services",
  }),
  enableSharing: defineRoute({
    ...common,
    method: "POST",
    path: "/openapi/environments/:envName/share/enable",
    summary: "Make a test environment a base of sub-environments",
    response: message,
    audit: audit("Enable Self-Test Mode", "test", envOfPath, words),
  }),
  disableSharing: defineRoute({
    ...common,
    method: "DELETE",
    path: "/openapi/environments/:envName/share/enable",
    summary: "Make a base an environment like others; its sub-environments are deleted",
    response: message,
    audit: audit("Disable Self-Test Mode", "test", envOfPath, words),
  }),
  readShareReadiness: defineRoute({
    ...common,
    method: "GET",
    path: "/openapi/environments/:envName/check/sharenv/:op/ready",
    summary: "Tell whether enabling (op enable) or disabling (any other op) has come to its end in the cluster",
    params: z.object({ envName: z.string(), op: z.string() }),
    response: shareReadiness,
  }),
};
