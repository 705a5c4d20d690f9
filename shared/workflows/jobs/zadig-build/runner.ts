import { EnvironmentProblem } from "../../../environments/failures.ts";
import { taskUrl } from "../../../integrations/notify/taskUrl.ts";
import { dockerfileTemplates } from "../../../integrations/store/dockerfileTemplates.ts";
import { unsealCredentials } from "../../../packaging/registries/credentials.ts";
import { requireRegistry } from "../../../packaging/registries/store/registries.ts";
import { hostOf } from "../../pods/rules/buildkitConfig.ts";
import type { ImageBuildStep } from "../../pods/rules/containerJob.ts";
import { packageFile } from "../../pods/rules/imageNames.ts";
import { buildVariables } from "../../pods/rules/jobVariables.ts";
import { absolutePath } from "../../pods/rules/paths.ts";
import { containerRunner } from "../container/containerRunner.ts";
import { scriptStep } from "../container/scriptStep.ts";
import type { JobRun } from "../runner.ts";
import type { BuildRun } from "./planner.ts";

/** Runs a build: its script, then the image it makes (contract W 11). */
export const runner = containerRunner({
  content: async (jobRun) => {
    const run = jobRun.run as unknown as BuildRun;
    const steps = [...scriptStep(run), ...(await imageStep(run))];
    return { steps, variables: await variablesOf(jobRun, run), pushesTo: run.registryId };
  },
  conclude: (jobRun, end) => {
    const { builtImage } = jobRun.run as unknown as BuildRun;
    // Where no script runs, nothing but the platform knows the names; of a failure counts what the script left.
    const IMAGE = end.outputs.IMAGE ?? (end.ending === "passed" ? builtImage : undefined);
    if (IMAGE === undefined) return end;
    const PKG_FILE = end.outputs.PKG_FILE ?? packageFile(IMAGE);
    const imageTag = IMAGE.slice(IMAGE.lastIndexOf(":") + 1);
    return { ...end, outputs: { ...end.outputs, IMAGE, PKG_FILE, imageTag }, result: { image: IMAGE } };
  },
});

async function variablesOf({ task: { owner, taskId } }: JobRun, run: BuildRun) {
  const registry = await requireRegistry(run.registryId);
  const { accessKey, secretKey } = await unsealCredentials(registry);
  return buildVariables({
    service: run.service,
    serviceModule: run.serviceModule,
    image: run.builtImage,
    packageFile: packageFile(run.builtImage),
    buildUrl: taskUrl(owner, taskId),
    registry: { host: hostOf(registry.address), namespace: registry.namespace, accessKey, secretKey },
  });
}

async function imageStep({ dockerBuild, builtImage }: BuildRun): Promise<ImageBuildStep[]> {
  if (dockerBuild === undefined) return [];
  const { source, templateId, dockerfilePath, contextDirectory, buildArgs, platforms } = dockerBuild;
  const template = source === "template" ? await dockerfileTemplates.find(templateId) : undefined;
  if (source === "template" && template === undefined)
    throw new EnvironmentProblem("the Dockerfile template of the build does not exist any more");
  return [
    {
      kind: "imageBuild",
      name: "image",
      image: builtImage,
      contextDirectory,
      // The path begins in the workspace, as for `docker build -f`.
      dockerfile: dockerfilePath === "" ? "" : absolutePath(dockerfilePath),
      ...(template !== undefined && { dockerfileText: template.kept.content }),
      ...{ buildArgs, platforms, cacheImage: "" },
    },
  ];
}
