import { mapBounded } from "../../../shared/base/common/mapBounded.ts";
import { previewRollback } from "../../../shared/environments/change/rollbackService.ts";
import { previewEnvironmentVariables } from "../../../shared/environments/change/setEnvironmentVariables.ts";
import { EnvironmentProblem, failingWith } from "../../../shared/environments/failures.ts";
import { checkSeconds } from "../../../shared/environments/limits.ts";
import { previewCreation, previewDeletionOf } from "../../../shared/environments/preview/previewEnvironment.ts";
import { previewServiceRemoval, previewServices } from "../../../shared/environments/preview/previewServices.ts";
import { type EnvironmentName, requireEnvironment } from "../../../shared/environments/requireEnvironment.ts";
import { type SleepEvent, sleepRefusal } from "../../../shared/environments/rules/status.ts";
import { recall } from "../../../shared/environments/sleep/recall.ts";
import type { Previews } from "../../../shared/http/createApi.ts";
import { serviceLabel } from "../../../shared/kube/apply/marks.ts";
import { openCluster } from "../../../shared/kube/clusters/openCluster.ts";
import { type ObjectPreview, objectPreview } from "../../../shared/kube/preview/objectPreview.ts";
import { activityOf, restOf, rests } from "../../../shared/kube/sleep/activity.ts";
import { toWake } from "../../../shared/kube/sleep/memory.ts";
import { readSleepable } from "../../../shared/kube/sleep/readSleepable.ts";
import { setActivity } from "../../../shared/kube/sleep/setActivity.ts";
import { configFormPreviews } from "./configs/configHandlers.ts";
import { toProductionEnvironment, toTestEnvironment } from "./create.ts";
import type { productionRoutes, testRoutes } from "./routes.ts";
import { toServiceRequests } from "./serviceRequests.ts";
import { toGlobals } from "./variableHandlers.ts";
import { workloadFormPreviews } from "./workloads/workloadHandlers.ts";

const concurrency = 32;

/** The workloads that a sleep or a wake would change, from the API server's own dry run. @throws ApiError as the change itself */
async function previewSleep(event: SleepEvent, name: EnvironmentName): Promise<ObjectPreview[]> {
  const { environment, services } = await requireEnvironment(name);
  return failingWith(6076, async () => {
    const refused = sleepRefusal(event, environment);
    if (refused !== undefined) throw new EnvironmentProblem(refused);
    const { client } = await openCluster(environment.clusterId);
    const call = { signal: AbortSignal.timeout(checkSeconds * 1000), deadlineSeconds: checkSeconds };
    const kinds = services.flatMap(({ workloads }) => workloads);
    const live = await readSleepable(client, environment, kinds, call);
    const changed =
      event === "wake"
        ? toWake(live, (await recall(name)) ?? [])
        : live.filter((object) => !rests(activityOf(object))).map((object) => ({ object, activity: restOf(object) }));
    return mapBounded(changed, concurrency, async ({ object, activity }) => {
      const after = await setActivity(client, object, activity, { dryRun: true, ...call });
      return objectPreview(object.metadata.labels?.[serviceLabel] ?? "", object, after);
    });
  });
}

/** `dryRun=true` on what both kinds have. */
export function previewForms(production: boolean): Omit<Previews<typeof testRoutes>, "create"> {
  const at = (projectKey: string, envKey: string) => ({ projectKey, envKey, production });
  return {
    ...configFormPreviews(production),
    ...workloadFormPreviews(production),
    setVariables: ({ params, query, body, caller }) =>
      previewEnvironmentVariables(at(query.projectKey, params.envName), toGlobals(body), caller),
    rollbackService: ({ params, query, caller }) => {
      const name = at(query.projectKey, params.envName);
      const options = { replicas: query.replicas ?? false };
      return previewRollback(name, params.serviceName, params.revision, options, caller);
    },
    remove: ({ params, query }) =>
      previewDeletionOf(at(query.projectKey, params.envName), {
        deleteObjects: query.isDelete,
        deleteCrds: query.delete_crds,
      }),
    sleep: ({ params, query }) => previewSleep("sleep", at(query.projectKey, params.envName)),
    wake: ({ params, query }) => previewSleep("wake", at(query.projectKey, params.envName)),
    addServices: ({ query, body, caller }) =>
      previewServices("add", at(query.projectKey, body.env_key), toServiceRequests(body.service_list), caller, body),
    updateServices: ({ query, body, caller }) =>
      previewServices("update", at(query.projectKey, body.env_key), toServiceRequests(body.service_list), caller, {
        reset: body.reset,
        deleteCrds: body.delete_crds,
      }),
    updateServicesByPath: ({ params, query, body, caller }) =>
      previewServices("update", at(query.projectKey, params.envName), toServiceRequests(body.service_list), caller, {
        reset: body.reset,
        deleteCrds: body.delete_crds,
      }),
    removeServices: ({ query, body }) => {
      const environment = at(query.projectKey, body?.env_key ?? query.env_name ?? "");
      const names = body?.service_names ?? query.service_name ?? [];
      const deleteCrds = body?.delete_crds ?? query.delete_crds;
      return previewServiceRemoval(environment, names, {
        keepObjects: body?.not_delete_resource ?? false,
        deleteCrds,
      });
    },
  };
}

export const previewOfCreation: {
  test: Previews<typeof testRoutes>["create"];
  production: Previews<typeof productionRoutes>["create"];
} = {
  test: async ({ query, body, caller }) => previewCreation(await toTestEnvironment(query.projectKey, body), caller),
  production: async ({ query, body, caller }) =>
    previewCreation(await toProductionEnvironment(query.projectKey, body), caller),
};
