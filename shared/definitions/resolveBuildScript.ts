import type { BuildScript, DockerBuild } from "../domain/build/buildDefinition.ts";
import type { BuildScriptInput } from "../domain/build/buildForm.ts";
import type { DockerBuildInput } from "../domain/build/dockerBuildForm.ts";
import { withoutCredentials } from "./credentials.ts";
import type { ReferenceResolver } from "./referenceResolver.ts";

/** A build, or a template of builds, with record ids for names and without the values of its credentials. */
export async function resolveBuildScript(
  resolver: ReferenceResolver,
  { imageLabel, dockerBuild, ...input }: BuildScriptInput,
): Promise<BuildScript> {
  const template = "docker_build_step.template_name";
  const [image, repositories, settings, templateId] = await Promise.all([
    resolver.image(imageLabel, "build_os"),
    resolver.repositories(input.repositories, "repo_info"),
    resolver.settings(input.settings),
    resolver.dockerfile(dockerBuild?.templateName ?? "", template),
  ]);
  return {
    ...input,
    image,
    repositories,
    settings,
    keyVals: withoutCredentials(input.keyVals),
    dockerBuild: dockerBuild && dockerBuildOf(dockerBuild, templateId),
  };
}

function dockerBuildOf({ templateName: _, ...step }: DockerBuildInput, templateId: string): DockerBuild {
  return { ...step, templateId };
}
