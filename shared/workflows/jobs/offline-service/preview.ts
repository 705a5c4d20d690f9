import { previewServiceRemoval } from "../../../environments/preview/previewServices.ts";
import { requireEnvironment } from "../../../environments/requireEnvironment.ts";
import type { JobPreviewer } from "../preview.ts";
import type { OfflineRun } from "./planner.ts";

/** What taking services out of an environment would delete. */
export const preview: JobPreviewer = async ({ projectKey, run }) => {
  const { env, production, services } = run as unknown as OfflineRun;
  const environment = { projectKey, envKey: env, production };
  const look = async (name: string) => {
    const { services: present } = await requireEnvironment(environment);
    const service = present.find((one) => one.name === name);
    if (service === undefined) return { modules: [], objects: [], notes: ["it is not in the environment"] };
    const modules = service.containers.map((one) => ({ name: one.name, now: one.image, next: "" }));
    return { modules, objects: await previewServiceRemoval(environment, [name], { keepObjects: false }) };
  };
  const action = "takes the service out of the environment, with its objects";
  return [{ ...environment, services: services.map((name) => ({ name, action, notes: [], look: () => look(name) })) }];
};
