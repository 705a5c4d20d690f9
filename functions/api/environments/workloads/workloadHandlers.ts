import type * as z from "zod";
import { badRequest } from "../../../../shared/base/errors/apiError.ts";
import type { ImageUpdate } from "../../../../shared/environments/change/updateImage.ts";
import { cancelRelease } from "../../../../shared/environments/helm/cancelRelease.ts";
import { previewTests, testService } from "../../../../shared/environments/helm/testService.ts";
import { previewAnyImage, updateAnyImage } from "../../../../shared/environments/helm/updateAnyImage.ts";
import type { EnvironmentName } from "../../../../shared/environments/requireEnvironment.ts";
import { previewPodRestart, restartPod } from "../../../../shared/environments/workloads/restartPod.ts";
import { previewServiceRestart, restartService } from "../../../../shared/environments/workloads/restartService.ts";
import {
  previewScale,
  type ScaleRequest,
  scaleWorkload,
} from "../../../../shared/environments/workloads/scaleWorkload.ts";
import { servicePods } from "../../../../shared/environments/workloads/servicePods.ts";
import type { Handler, Handlers, Previews } from "../../../../shared/http/createApi.ts";
import { success } from "../../../../shared/http/schemas.ts";
import { environmentOfEitherKind } from "../environmentOfEitherKind.ts";
import { toPod } from "../wire.ts";
import type { workloadForms, workloadRoutes } from "./workloadRoutes.ts";
import type { imageUpdate, scaleRequest } from "./workloadSchemas.ts";

/** The endpoints that both kinds have. */
export function workloadFormHandlers(production: boolean): Handlers<ReturnType<typeof workloadForms>> {
  const at = (projectKey: string, envKey: string) => ({ projectKey, envKey, production });
  return {
    restartService: async ({ params, query }) => {
      await restartService(at(query.projectKey, params.envName), params.serviceName);
      return success;
    },
    testService: async ({ params, query, caller }) => {
      await testService(at(query.projectKey, params.envName), params.serviceName, caller);
      return success;
    },
    cancelRelease: async ({ params, query, caller }) => {
      await cancelRelease(at(query.projectKey, params.envName), params.serviceName, caller.name);
      return success;
    },
    listPods: async ({ params, query }) => {
      const pods = await servicePods(at(query.projectKey, params.envName), params.serviceName);
      return { service_name: params.serviceName, pods: pods.map(toPod) };
    },
    restartPod: async ({ params, query }) => {
      await restartPod(at(query.projectKey, params.envName), params.podName);
      return success;
    },
  };
}

export function workloadFormPreviews(production: boolean): Previews<ReturnType<typeof workloadForms>> {
  const at = (projectKey: string, envKey: string) => ({ projectKey, envKey, production });
  return {
    restartService: ({ params, query }) =>
      previewServiceRestart(at(query.projectKey, params.envName), params.serviceName),
    testService: ({ params, query }) => previewTests(at(query.projectKey, params.envName), params.serviceName),
    restartPod: ({ params, query }) => previewPodRestart(at(query.projectKey, params.envName), params.podName),
  };
}

type ImageRoute = typeof workloadRoutes.updateDeploymentImage;

function imageHandler(kind: string): Handler<ImageRoute> {
  return async ({ params, body, caller }) => {
    const asked = await imageUpdateOf(kind, params.envName, body);
    await updateAnyImage(...asked, caller);
    return success;
  };
}

function imagePreview(kind: string): Previews<typeof workloadRoutes>["updateDeploymentImage"] {
  return async ({ params, body, caller }) => {
    const asked = await imageUpdateOf(kind, params.envName, body);
    return previewAnyImage(...asked, caller);
  };
}

async function scaleRequestOf(body: z.output<typeof scaleRequest>): Promise<[EnvironmentName, ScaleRequest]> {
  const workload = { kind: body.workload_type, name: body.workload_name };
  const environment = await environmentOfEitherKind(body.project_key, body.env_key);
  return [environment, { service: body.service_name, workload, replicas: body.target_replicas }];
}

export const workloadHandlers: Handlers<typeof workloadRoutes> = {
  scaleWorkload: async ({ body }) => {
    await scaleWorkload(...(await scaleRequestOf(body)));
    return success;
  },
  updateDeploymentImage: imageHandler("Deployment"),
  updateStatefulSetImage: imageHandler("StatefulSet"),
  updateCronJobImage: imageHandler("CronJob"),
  updateJobImage: imageHandler("Job"),
};

export const workloadPreviews: Previews<typeof workloadRoutes> = {
  scaleWorkload: async ({ body }) => previewScale(...(await scaleRequestOf(body))),
  updateDeploymentImage: imagePreview("Deployment"),
  updateStatefulSetImage: imagePreview("StatefulSet"),
  updateCronJobImage: imagePreview("CronJob"),
  updateJobImage: imagePreview("Job"),
};

/** Contract P 5.8: the body may name the environment again, and then it must be the path's. */
async function imageUpdateOf(
  kind: string,
  envKey: string,
  body: z.output<typeof imageUpdate>,
): Promise<[EnvironmentName, ImageUpdate]> {
  if (body.env_name !== undefined && body.env_name !== envKey) {
    const problem = `must be the environment of the path, ${envKey}, or be left out`;
    throw badRequest([{ in: "body", path: "env_name", problem }]);
  }
  const name = await environmentOfEitherKind(body.product_name, envKey);
  const { service_name: service, container_name: container, image } = body;
  return [name, { service, workload: { kind, name: body.name }, container, image }];
}
