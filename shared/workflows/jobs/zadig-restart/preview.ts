import { previewServiceRestart } from "../../../environments/workloads/restartService.ts";
import type { JobPreviewer } from "../preview.ts";
import type { RestartRun } from "./planner.ts";

/** What restarting a service would change. */
export const preview: JobPreviewer = async ({ projectKey, run }) => {
  const { env, production, service } = run as unknown as RestartRun;
  const name = { projectKey, envKey: env, production };
  const look = async () => ({ modules: [], objects: await previewServiceRestart(name, service) });
  return [{ ...name, services: [{ name: service, action: "restarts the workloads", notes: [], look }] }];
};
