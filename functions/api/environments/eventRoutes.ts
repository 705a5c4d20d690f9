import * as z from "zod";
import { defineRoute, fromQuery } from "../../../shared/http/route.ts";
import { filled } from "../../../shared/http/schemas.ts";
import { projectQuery } from "./schemas.ts";

/** Keys without a value are left out (contract P 10.1). */
const kubeEvent = z
  .object({
    reason: z.string().optional(),
    message: z.string().optional(),
    first_seen: z.int().optional(),
    last_seen: z.int().optional(),
    count: z.int().optional(),
    type: z.string().optional(),
  })
  .meta({ id: "KubeEvent" });

/** One path for both kinds of environment: the kind decides the verb. */
export const eventRoutes = {
  listKubeEvents: defineRoute({
    method: "GET",
    path: "/openapi/environments/kube/events",
    summary: "List the Kubernetes events of an object in an environment of either kind, newest first",
    tag: "Environments",
    permission: {
      kind: "verb",
      verbs: ["get_environment"],
      productionVerbs: ["get_production_environment"],
      collaboration: "environment",
    },
    scope: { project: fromQuery("projectKey"), environment: fromQuery("envName") },
    query: z.object({
      ...projectQuery,
      envName: filled("envName"),
      name: filled("name", 253)
        .regex(/^[^\s,=\\]*$/, "is no name of an object")
        .meta({ description: "Name of the object" }),
      type: filled("type", 63)
        .regex(/^[A-Za-z0-9]*$/, "is no kind of an object")
        .meta({ description: "Kind of the object, for example Deployment or Pod" }),
    }),
    response: z.array(kubeEvent),
  }),
};
