import * as z from "zod";
import { findCluster } from "../../../kube/clusters/store/clusters.ts";
import { filledText, listOf } from "../../definition/wireFields.ts";
import type { JobPlanner } from "../planner.ts";
import { readInputs, readSpec } from "../readSpec.ts";
import { amongTargets } from "../rollout/amongTargets.ts";
import { type CanaryRun, rolloutMinutes } from "../rollout/rolloutRun.ts";
import { deployVariables } from "../variables/deployVariables.ts";
import { kind as canaryDeploy } from "./kind.ts";

const input = z.looseObject({
  service_list: listOf(z.looseObject({ service_name: filledText, image_name: filledText })),
});

/** One job task for each Service. */
export const planner: JobPlanner = {
  select: async (job, parameters) => {
    const { service_list } = readInputs(input, parameters, job);
    if (service_list.length === 0) return { ...job.spec };
    const { targets, target_options } = readSpec(canaryDeploy, job);
    const known = [...targets, ...target_options];
    const chosen = service_list.map(({ service_name, image_name }) => {
      const found = known.find((one) => one.k8s_service_name === service_name);
      return { ...amongTargets(found, job, `service_list names ${service_name}`), image: image_name };
    });
    return { ...job.spec, targets: chosen };
  },
  expand: async (job) => {
    const { cluster_id, namespace, targets } = readSpec(canaryDeploy, job);
    const cluster = cluster_id ? await findCluster(cluster_id) : undefined;
    return targets.map(({ k8s_service_name, container_name, image, canary_percentage, deploy_timeout }) => {
      const run: CanaryRun = {
        ...{ mode: "canary", clusterId: cluster_id ?? "", namespace: namespace ?? "", kubeService: k8s_service_name },
        ...{ percentage: canary_percentage, deployJob: job.name },
        images: [{ container: container_name, image: image ?? "" }],
      };
      return {
        parts: [k8s_service_name],
        jobInfo: { k8s_service_name },
        spec: {
          ...{ image: image ?? "", k8s_service_name, cluster_name: cluster?.name ?? "", namespace: run.namespace },
          ...{ container_name, canary_replica: 0, events: [] },
        },
        run: { ...run },
        timeoutMinutes: deploy_timeout || rolloutMinutes,
      };
    });
  },
  variables: async (job) => {
    const { targets } = readSpec(canaryDeploy, job);
    const deployed = targets.map(({ k8s_service_name, container_name, image }) => ({
      name: k8s_service_name,
      modules: [{ name: container_name, image: image ?? "" }],
    }));
    return new Map(deployVariables(deployed));
  },
};
