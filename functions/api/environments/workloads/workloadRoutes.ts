import * as z from "zod";
import type { ProjectAction } from "../../../../shared/access/identity/rules/actions.ts";
import type { Permission } from "../../../../shared/access/identity/rules/permission.ts";
import { previewable } from "../../../../shared/http/preview.ts";
import { defineRoute, fromBody, fromPath } from "../../../../shared/http/route.ts";
import { message } from "../../../../shared/http/schemas.ts";
import { freezeAt } from "../../../../shared/projects/freezes/rules/windows.ts";
import { basePath, envOfBody, envOfPath, inside, type Kind, project, reads, tag, verb } from "../routeParts.ts";
import { projectQuery } from "../schemas.ts";
import { imageUpdate, podList, scaleRequest } from "./workloadSchemas.ts";

const restarts: Record<Kind, readonly ProjectAction[]> = {
  test: ["manage_environment", "restart_environment"],
  production: ["edit_production_environment", "restart_production_environment"],
};

const deploys: Record<Kind, readonly ProjectAction[]> = {
  test: ["config_environment", "manage_environment"],
  production: ["config_production_environment", "edit_production_environment"],
};

/** One path serves both kinds of environment, whose kind decides the verb (decisions 6.4). */
const scales: Permission = {
  kind: "verb",
  verbs: ["manage_environment", "scale_environment"],
  productionVerbs: ["edit_production_environment", "scale_production_environment"],
  collaboration: "environment",
};

const changesImages: Permission = {
  kind: "verb",
  verbs: ["config_environment", "manage_environment"],
  productionVerbs: ["config_production_environment", "edit_production_environment"],
  collaboration: "environment",
};

/** What is done to the workloads and pods of one kind of environment. */
export function workloadForms<K extends Kind>(kind: K) {
  const base = basePath(kind);
  const path = (rest: string) => `${base}${rest}` as `/${string}`;
  const inService = { envName: z.string(), serviceName: z.string() };
  const scope = { project, environment: fromPath("envName") };
  return {
    restartService: previewable(
      defineRoute({
        method: "POST",
        path: path("/:envName/service/:serviceName/restart"),
        summary: `Restart every workload of a service in a ${kind} environment`,
        tag,
        permission: verb(...restarts[kind]),
        scope,
        params: z.object(inService),
        query: z.object(projectQuery),
        response: message,
        audit: inside(
          envOfPath,
          { method: "Restart", function: "Environment - Service", body: "none" },
          ({ params }) => [params.serviceName],
        ),
      }),
    ),
    testService: previewable(
      defineRoute({
        method: "POST",
        path: path("/:envName/service/:serviceName/test"),
        summary: `Run the tests of a chart's release in a ${kind} environment; its detail tells how they ended`,
        tag,
        permission: verb(...restarts[kind]),
        scope,
        params: z.object(inService),
        query: z.object(projectQuery),
        response: message,
        audit: inside(envOfPath, { method: "Test", function: "Environment - Service", body: "none" }, ({ params }) => [
          params.serviceName,
        ]),
      }),
    ),
    cancelRelease: defineRoute({
      method: "POST",
      path: path("/:envName/service/:serviceName/cancel"),
      summary: `Cancel the deployment of a chart in a ${kind} environment, such as a hook that never ends; the release goes back`,
      tag,
      permission: verb(...deploys[kind]),
      scope,
      params: z.object(inService),
      query: z.object(projectQuery),
      response: message,
      audit: inside(envOfPath, { method: "Cancel", function: "Environment - Service", body: "none" }, ({ params }) => [
        params.serviceName,
      ]),
    }),
    listPods: defineRoute({
      method: "GET",
      path: path("/:envName/service/:serviceName/pods"),
      summary: `List the live pods of a service in a ${kind} environment`,
      tag,
      permission: verb(reads[kind]),
      scope,
      params: z.object(inService),
      query: z.object(projectQuery),
      response: podList,
    }),
    restartPod: previewable(
      defineRoute({
        method: "POST",
        path: path("/:envName/pod/:podName/restart"),
        summary: `Delete a pod of a ${kind} environment, so that its controller recreates it`,
        tag,
        permission: verb(...restarts[kind]),
        scope,
        params: z.object({ envName: z.string(), podName: z.string() }),
        query: z.object(projectQuery),
        response: message,
        audit: inside(
          envOfPath,
          { method: "Restart", function: "Environment - Service Instance", body: "none" },
          ({ params }) => [params.podName],
        ),
      }),
    ),
  };
}

const imageKinds = { deployment: "Deployment", statefulset: "StatefulSet", cronjob: "CronJob", job: "Job" } as const;

function imageRoute(kind: keyof typeof imageKinds) {
  return previewable(
    defineRoute({
      method: "POST",
      path: `/openapi/environments/image/${kind}/:envName`,
      summary: `Change the image of one container of a ${imageKinds[kind]} in an environment of either kind`,
      tag,
      freeze: freezeAt,
      permission: changesImages,
      scope: { project: fromBody("product_name"), environment: fromPath("envName") },
      params: z.object({ envName: z.string() }),
      body: imageUpdate,
      response: message,
      audit: inside(
        envOfPath,
        { method: "Update", function: "OpenAPI - Environment - Service Image", body: "json" },
        ({ body }) => [body.service_name, imageKinds[kind], body.name],
      ),
    }),
  );
}

/** Paths without a production form. */
export const workloadRoutes = {
  scaleWorkload: previewable(
    defineRoute({
      method: "POST",
      path: "/openapi/environments/scale",
      summary: "Set how many pods a workload has, in an environment of either kind",
      tag,
      permission: scales,
      scope: { project: fromBody("project_key"), environment: fromBody("env_key") },
      body: scaleRequest,
      response: message,
      audit: inside(envOfBody, { method: "Scale", function: "Environment - Service", body: "json" }, ({ body }) => [
        body.service_name,
        body.workload_type,
        body.workload_name,
      ]),
    }),
  ),
  updateDeploymentImage: imageRoute("deployment"),
  updateStatefulSetImage: imageRoute("statefulset"),
  updateCronJobImage: imageRoute("cronjob"),
  updateJobImage: imageRoute("job"),
};
