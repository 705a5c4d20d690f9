import { EnvironmentProblem } from "../../../environments/failures.ts";
import { planLook } from "../planLook.ts";
import type { JobPreviewer, ServiceLook } from "../preview.ts";
import { isLate, lateSentence, lateSentences } from "../variables/lateValues.ts";
import { deployRefusal, readDeployRequest } from "./deployRequest.ts";
import type { DeployRun } from "./planner.ts";

/** What deploying a service would change: images that only a run can know stay as they are. */
export const preview: JobPreviewer = async ({ projectKey, run }) => {
  const settings = run as unknown as DeployRun;
  const { env, production, service, contents, modules, variables } = settings;
  const images = contents.includes("image") ? modules : [];
  const notes = [
    ...images.flatMap(({ module, image }) => lateSentence(`the image of module ${module}`, image) ?? []),
    ...(contents.includes("vars") ? variables : []).flatMap(({ key, value }) =>
      lateSentences(`the variable ${key}`, value),
    ),
  ];
  const action = `deploys ${contents.join(", ")}`;
  const look = () => lookAt(projectKey, settings);
  return [{ projectKey, envKey: env, production, services: [{ name: service, action, notes, look }] }];
};

async function lookAt(projectKey: string, settings: DeployRun): Promise<ServiceLook> {
  const refused = await deployRefusal(projectKey, settings);
  if (refused !== undefined) throw new EnvironmentProblem(refused);
  const known = settings.modules.filter(({ image }) => !isLate(image));
  const request = await readDeployRequest(projectKey, { ...settings, modules: known });
  const isUnknown = (name: string) =>
    settings.contents.includes("image") && settings.modules.some((one) => one.module === name && isLate(one.image));
  return planLook(request, isUnknown);
}
