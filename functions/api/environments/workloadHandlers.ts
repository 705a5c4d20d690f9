import { restartPod } from "../../../shared/environments/restartPod.ts";
import { restartService } from "../../../shared/environments/restartService.ts";
import { scaleWorkload } from "../../../shared/environments/scaleWorkload.ts";
import { servicePods } from "../../../shared/environments/servicePods.ts";
import type { Handler, Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { environmentOfEitherKind } from "./environmentOfEitherKind.ts";
import { updateImageOf } from "./updateImageOf.ts";
import { toPod } from "./wire.ts";
import type { workloadForms, workloadRoutes } from "./workloadRoutes.ts";

/** The endpoints that both kinds have. */
export function workloadFormHandlers(production: boolean): Handlers<ReturnType<typeof workloadForms>> {
  const at = (projectKey: string, envKey: string) => ({ projectKey, envKey, production });
  return {
    restartService: async ({ params, query }) => {
      await restartService(at(query.projectKey, params.envName), params.serviceName);
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

type ImageHandler = Handler<typeof workloadRoutes.updateDeploymentImage>;

function imageHandler(kind: string): ImageHandler {
  return async ({ params, body, caller }) => {
    await updateImageOf(kind, params.envName, body, caller);
    return success;
  };
}

export const workloadHandlers: Handlers<typeof workloadRoutes> = {
  scaleWorkload: async ({ body }) => {
    const workload = { kind: body.workload_type, name: body.workload_name };
    const environment = await environmentOfEitherKind(body.project_key, body.env_key);
    const service = body.service_name === "" ? undefined : body.service_name;
    await scaleWorkload(environment, { service, workload, replicas: body.target_replicas });
    return success;
  },
  updateDeploymentImage: imageHandler("Deployment"),
  updateStatefulSetImage: imageHandler("StatefulSet"),
  updateCronJobImage: imageHandler("CronJob"),
  updateJobImage: imageHandler("Job"),
};
