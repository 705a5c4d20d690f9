import * as z from "zod";
import { findCluster } from "../../../kube/clusters/store/clusters.ts";
import { filledText, listOf, text } from "../../definition/wireFields.ts";
import type { JobPlanner } from "../planner.ts";
import { readInputs, readSpec } from "../readSpec.ts";
import { kind as customDeploy } from "./kind.ts";

/** What the runner needs to change one container. */
export interface CustomDeployRun {
  clusterId: string;
  namespace: string;
  kind: string;
  name: string;
  container: string;
  image: string;
  skipsCheck: boolean;
}

const input = z.looseObject({
  target_list: listOf(
    z.looseObject({
      workload_type: filledText,
      workload_name: filledText,
      container_name: filledText,
      image_name: text,
    }),
  ),
});

const kinds: Readonly<Record<string, string>> = {
  deployment: "Deployment",
  statefulset: "StatefulSet",
  cronjob: "CronJob",
};

/** Minutes when the job states none. */
const defaultMinutes = 10;

/** Images of single containers: one job task for each (contract W 8.9). */
export const planner: JobPlanner = {
  select: async (job, parameters) => {
    const { target_list } = readInputs(input, parameters, job);
    if (target_list.length === 0) return { ...job.spec };
    const targets = target_list.map(({ workload_type, workload_name, container_name, image_name }) => ({
      target: [workload_type, workload_name, container_name].join("/"),
      image: image_name ?? "",
    }));
    return { ...job.spec, targets };
  },
  expand: async (job) => {
    const { targets, cluster_id, namespace, skip_check_run_status, timeout } = readSpec(customDeploy, job);
    const cluster = cluster_id ? await findCluster(cluster_id) : undefined;
    return targets.map(({ target, image }) => {
      const [type = "", workload = "", container = ""] = target.split("/");
      const run: CustomDeployRun = {
        ...{ clusterId: cluster_id ?? "", namespace: namespace ?? "" },
        ...{ kind: kinds[type.toLowerCase()] ?? type, name: workload, container, image: image ?? "" },
        skipsCheck: skip_check_run_status === true,
      };
      return {
        parts: [type, workload, container],
        jobInfo: { workload_type: type, workload_name: workload, container_name: container },
        spec: {
          ...{ image: run.image, target, cluster_name: cluster?.name ?? "", namespace: run.namespace },
          skip_check_run_status: run.skipsCheck,
        },
        run: { ...run },
        timeoutMinutes: timeout || defaultMinutes,
      };
    });
  },
};
