import { EnvironmentProblem } from "../../../environments/failures.ts";
import { previewServiceRestart } from "../../../environments/restartService.ts";
import type { JobPreviewer } from "../preview.ts";
import { helmRefusal, type RestartRun } from "./planner.ts";

/** What restarting a service would change. */
export const previewRestartJob: JobPreviewer = async ({ projectKey, run }) => {
  const { env, production, service, deployType } = run as unknown as RestartRun;
  const name = { projectKey, envKey: env, production };
  const look = async () => {
    if (deployType === "helm") throw new EnvironmentProblem(helmRefusal);
    return { modules: [], objects: await previewServiceRestart(name, service) };
  };
  return [{ ...name, services: [{ name: service, action: "restarts the workloads", notes: [], look }] }];
};
