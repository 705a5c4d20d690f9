import { listEnvironments } from "../../../environments/store/environments.ts";
import type { JobPlanner } from "../planner.ts";
import { readSpec } from "../readSpec.ts";
import { kind as offlineService } from "./kind.ts";

/** What the runner needs to take services out of an environment. */
export interface OfflineRun {
  env: string;
  production: boolean;
  services: string[];
}

const offlineMinutes = 10;

/** Takes services out of an environment: one job task. */
export const planner: JobPlanner = {
  expand: async (job, { project }) => {
    const { env_type, env_name, services } = readSpec(offlineService, job);
    const environments = await listEnvironments(project.key);
    const run: OfflineRun = {
      ...{ env: env_name ?? "", production: env_type === "production", services: [...new Set(services ?? [])] },
    };
    return [
      {
        parts: [],
        spec: {
          ...{ env_type: env_type ?? "", env_name: run.env },
          namespace: environments.find(({ envKey }) => envKey === run.env)?.namespace ?? "",
          service_events: run.services.map((service_name) => ({ service_name, status: "", error: "" })),
        },
        run: { ...run },
        timeoutMinutes: offlineMinutes,
      },
    ];
  },
};
