import type { ReferenceResolver } from "./referenceResolver.ts";
import { resolveScriptJob } from "./resolveScriptJob.ts";
import type { BuildScript, DockerBuild } from "./rules/build/buildDefinition.ts";
import type { BuildScriptInput } from "./rules/build/buildForm.ts";
import type { DockerBuildInput } from "./rules/build/dockerBuildForm.ts";

/** A build, or a template of builds, with record ids for names and without the values of its credentials. */
export async function resolveBuildScript(
  resolver: ReferenceResolver,
  { dockerBuild, outputs, ...input }: BuildScriptInput,
): Promise<BuildScript> {
  const [job, templateId] = await Promise.all([
    resolveScriptJob(resolver, input, "build_os"),
    resolver.dockerfile(dockerBuild?.templateName ?? "", "docker_build_step.template_name"),
  ]);
  return { ...job, dockerBuild: dockerBuild && dockerBuildOf(dockerBuild, templateId), outputs };
}

function dockerBuildOf({ templateName: _, ...step }: DockerBuildInput, templateId: string): DockerBuild {
  return { ...step, templateId };
}
