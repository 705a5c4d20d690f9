import { ApiError } from "../../../base/errors/apiError.ts";
import { plannedServer } from "../configuration/configurationServer.ts";
import type { JobPlanner } from "../planner.ts";
import { readSpec } from "../readSpec.ts";
import { kind as apollo } from "./kind.ts";

/** What the runner needs to set and release keys. */
export interface ApolloRun {
  serverId: string;
  namespaces: { appId: string; cluster: string; env: string; namespace: string; values: Record<string, string> }[];
}

/** Namespaces of Apollo: one job task. */
export const planner: JobPlanner = {
  expand: async (job, { project }) => {
    const { apolloID: id, namespaceList } = readSpec(apollo, job);
    await plannedServer("apollo", { job: job.name, field: "apolloID", id, projectKey: project.key });
    const chosen = namespaceList.filter(({ kv }) => kv.length > 0);
    if (chosen.length === 0) throw new ApiError(6160, `job ${job.name} sets no key: set kv in namespaceList`);
    const run: ApolloRun = {
      serverId: id,
      namespaces: chosen.map(({ appID: appId, clusterID: cluster, env, namespace, kv }) => ({
        ...{ appId, cluster, env, namespace },
        values: Object.fromEntries(kv.map(({ key, val }) => [key, String(val)])),
      })),
    };
    const shown = chosen.map((namespace) => ({ ...namespace, error: "" }));
    return [{ parts: [], spec: { apolloID: id, namespaceList: shown }, run: { ...run }, timeoutMinutes: 0 }];
  },
};
