import { ApiError } from "../../../base/errors/apiError.ts";
import { plannedServer } from "../configuration/configurationServer.ts";
import type { JobPlanner } from "../planner.ts";
import { readSpec } from "../readSpec.ts";
import { kind as nacos } from "./kind.ts";

/** What the runner needs to publish configurations. */
export interface NacosRun {
  serverId: string;
  namespaceId: string;
  datas: { dataId: string; group: string; format: string; content: string }[];
}

/** Configurations of Nacos: one job task. */
export const planner: JobPlanner = {
  expand: async (job, { project }) => {
    const { nacos_id: id, namespace_id, nacos_datas, default_nacos_datas, ...more } = readSpec(nacos, job);
    await plannedServer("nacos", { job: job.name, field: "nacos_id", id, projectKey: project.key });
    const chosen = nacos_datas.length > 0 ? nacos_datas : default_nacos_datas;
    if (chosen.length === 0) throw new ApiError(6160, `job ${job.name} names no configuration: set nacos_datas`);
    const datas = chosen.map(({ data_id: dataId, group, format, content }) => ({
      dataId,
      group,
      format: format ?? "",
      content,
    }));
    const run: NacosRun = { serverId: id, namespaceId: namespace_id ?? "", datas };
    return [
      {
        parts: [],
        spec: {
          ...{ nacos_id: id, namespace_id: run.namespaceId, namespace_name: more.namespace_name ?? run.namespaceId },
          nacos_datas: chosen.map((data) => ({ ...data, error: "" })),
        },
        run: { ...run },
        timeoutMinutes: 0,
      },
    ];
  },
};
