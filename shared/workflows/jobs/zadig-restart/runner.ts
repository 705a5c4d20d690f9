import { requireService } from "../../../environments/plan/standingService.ts";
import { type EnvironmentName, requireEnvironment } from "../../../environments/requireEnvironment.ts";
import { restartable, restartService } from "../../../environments/workloads/restartService.ts";
import { environmentLabel, serviceLabel } from "../../../kube/apply/marks.ts";
import { refOf } from "../../../kube/client/objectRef.ts";
import { openCluster } from "../../../kube/clusters/openCluster.ts";
import { readLive } from "../../../kube/live/readLive.ts";
import { kindKey } from "../../../kube/objectKey.ts";
import { awaitWorkloads, readinessOf } from "../readiness.ts";
import type { JobRun, JobRunner } from "../runner.ts";
import { asEnd, waitEnd } from "../waitEnd.ts";
import type { RestartRun } from "./planner.ts";

/** Restarts the workloads of a service and waits until their new pods are ready (contract W 5). */
export const runner: JobRunner = {
  begin: async (run) => {
    const { service, skipsCheck } = settingsOf(run);
    await restartService(nameOf(run), service, momentOf(run));
    const { place, workloads } = await restarted(run);
    const result = {
      cluster_id: place.clusterId,
      replace_resources: workloads.map(({ name, kind, uid }) => ({
        ...{ name, kind, container: "", origin: "", pod_owner_uid: uid ?? "" },
      })),
    };
    const ready = skipsCheck ? "ready" : await readinessOf(run);
    if (ready !== undefined) return asEnd(ready, result);
    return awaitWorkloads(run, place, workloads, result);
  },
  finish: (run, why) => waitEnd(run, why, async () => (await requireEnvironment(nameOf(run))).environment),
};

function settingsOf({ run }: JobRun): RestartRun {
  return run as unknown as RestartRun;
}

function nameOf(run: JobRun): EnvironmentName {
  const { env, production } = settingsOf(run);
  return { projectKey: run.task.owner.projectKey, envKey: env, production };
}

/** The same for a repetition of one try, so that it restarts nothing twice. */
function momentOf({ job }: JobRun): Date {
  return new Date((job.startTime + job.retryCount) * 1000);
}

/** The service's workloads as they are now: with the generation that the restart gave them. */
async function restarted(run: JobRun) {
  const { environment, service } = await requireService(nameOf(run), settingsOf(run).service);
  const { environmentId, clusterId, namespace } = environment;
  const { client } = await openCluster(clusterId);
  const kinds = service.workloads.filter((workload) => restartable.has(kindKey(workload)));
  const labelSelector = `${environmentLabel}=${environmentId},${serviceLabel}=${service.name}`;
  const live = [...(await readLive(client, kinds, namespace, { labelSelector })).values()];
  const workloads = live
    .filter((object) => kinds.some(({ kind, name }) => kind === object.kind && name === object.metadata.name))
    .map((object) => {
      const { apiVersion, kind, name } = refOf(object);
      const { uid, generation } = object.metadata;
      return { service: service.name, apiVersion, kind, name, uid, generation };
    });
  return { place: { clusterId, environmentId, namespace }, workloads };
}
