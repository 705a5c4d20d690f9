import * as z from "zod";
import {
  maxPortalServers,
  portalClash,
  portalHost,
  portalProtocols,
} from "../../../../shared/environments/rules/portal.ts";
import { defineRoute, fromPath } from "../../../../shared/http/route.ts";
import { message } from "../../../../shared/http/schemas.ts";
import {
  audit,
  basePath,
  configures,
  envOfPath,
  freezes,
  inside,
  type Kind,
  project,
  tag,
  verb,
} from "../routeParts.ts";
import { envParams, projectQuery } from "../schemas.ts";

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

const portalServer = z
  .object({
    host: z
      .string("host must be a text")
      .max(253, "host must have at most 253 characters")
      .regex(portalHost, "host must be a DNS name in lower case such as shop.example.com, *.example.com or *"),
    port_number: z
      .int("port_number must be a whole number")
      .min(1, "must be 1 to 65535")
      .max(65_535, "must be 1 to 65535"),
    port_protocol: z.enum(portalProtocols, `port_protocol must be one of ${portalProtocols.join(", ")}`),
  })
  .meta({ id: "PortalServer" });

const portalServers = z
  .array(portalServer, "the body must be a list of {host, port_number, port_protocol}; an empty one closes the portal")
  .max(maxPortalServers, `a service can be called at ${maxPortalServers} hosts at most`)
  .superRefine((servers, { addIssue }) => {
    const known = servers.map(({ host, port_number, port_protocol }) => ({
      host,
      port: port_number,
      protocol: port_protocol,
    }));
    for (const [index, server] of known.entries()) {
      const message = portalClash(server, known.slice(0, index));
      if (message !== undefined) addIssue({ code: "custom", path: [index], message });
    }
  });

/** Bases of sub-environments and what leads into them (contract P 9, decisions 12.4), of one kind of environment. */
export function shareForms(kind: Kind) {
  const base = basePath(kind);
  const path = (rest: string) => `${base}/:envName${rest}` as `/${string}`;
  const common = {
    tag,
    permission: verb(configures[kind]),
    scope: { project, environment: fromPath("envName") },
    params: envParams,
    query: z.object(projectQuery),
  };
  const workloadCheck = {
    ...common,
    method: "GET" as const,
    summary: `List the Deployments and StatefulSets of a ${kind} environment that no Service selects`,
    response: z.array(z.string()),
  };
  const portal = {
    ...common,
    path: path("/share/portal/:serviceName"),
    params: envParams.extend({ serviceName: z.string() }),
  };
  return {
    checkWorkloads: defineRoute({ ...workloadCheck, path: path("/check/workloads/k8sservices") }),
    checkWorkloadsByShortName: defineRoute({ ...workloadCheck, path: path("/check/workloads/k8services") }),
    enableSharing: defineRoute({
      ...common,
      freeze: freezes[kind],
      method: "POST",
      path: path("/share/enable"),
      summary: `Make a ${kind} environment a base of sub-environments`,
      response: message,
      audit: audit("Enable Self-Test Mode", kind, envOfPath, words),
    }),
    disableSharing: defineRoute({
      ...common,
      freeze: freezes[kind],
      method: "DELETE",
      path: path("/share/enable"),
      summary: `Make a ${kind} base an environment like others; its sub-environments are deleted`,
      response: message,
      audit: audit("Disable Self-Test Mode", kind, envOfPath, words),
    }),
    readShareReadiness: defineRoute({
      ...common,
      method: "GET",
      path: path("/check/sharenv/:op/ready"),
      summary: `Tell whether enabling (op enable) or disabling (any other op) of a ${kind} base has come to its end in the cluster`,
      params: z.object({ envName: z.string(), op: z.string() }),
      response: shareReadiness,
    }),
    readPortal: defineRoute({
      ...portal,
      method: "GET",
      summary: `Read the hosts at which a Service of a ${kind} environment can be called from outside of the mesh`,
      response: z.object({ default_gateway_address: z.string(), servers: z.array(portalServer) }),
    }),
    setPortal: defineRoute({
      ...portal,
      freeze: freezes[kind],
      method: "POST",
      summary: `Set the hosts at which a Service of a ${kind} environment can be called from outside of the mesh; none closes its portal`,
      body: portalServers,
      response: message,
      audit: inside(envOfPath, { method: "Update", function: "Environment - Portal", body: "json" }, ({ params }) => [
        params.serviceName,
      ]),
    }),
  };
}
