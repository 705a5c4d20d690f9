import * as z from "zod";
import { optionalText } from "../../../definition/script/texts.ts";
import type { DockerBuild } from "./buildDefinition.ts";

/** As callers send it: the template by its name. */
export type DockerBuildInput = Omit<DockerBuild, "templateId"> & { templateName: string };

/** `docker_build_step` (contract W 10.1). */
export const dockerBuildInput = z
  .object({
    dockerfile_source: z.enum(["local", "template"], "must be local or template"),
    build_context_dir: optionalText(1024).default(""),
    dockerfile_directory: optionalText(1024).default(""),
    template_name: optionalText(64).default(""),
    build_args: optionalText(4096).default(""),
    enable_buildkit: z.boolean("must be true or false").default(false),
    platforms: optionalText().default(""),
  })
  .superRefine(({ dockerfile_source, dockerfile_directory, template_name }, context) => {
    const add = (field: string, source: string) =>
      context.addIssue({ code: "custom", path: [field], message: `is required for dockerfile_source ${source}` });
    if (dockerfile_source === "local" && dockerfile_directory === "") add("dockerfile_directory", "local");
    if (dockerfile_source === "template" && template_name === "") add("template_name", "template");
  })
  .transform(
    (step): DockerBuildInput => ({
      contextDirectory: step.build_context_dir,
      source: step.dockerfile_source,
      dockerfilePath: step.dockerfile_directory,
      templateName: step.dockerfile_source === "template" ? step.template_name : "",
      buildArgs: step.build_args,
      enableBuildkit: step.enable_buildkit,
      platforms: step.platforms,
    }),
  );

export const shownDockerBuild = z
  .object({
    work_dir: z.string(),
    docker_file: z.string(),
    build_args: z.string(),
    source: z.enum(["local", "template"]),
    template_id: z.string(),
    template_name: z.string(),
    enable_buildkit: z.boolean(),
    platform: z.string(),
  })
  .meta({ id: "DockerBuild" });

export function showDockerBuild(step: DockerBuild, templateName: string): z.input<typeof shownDockerBuild> {
  return {
    work_dir: step.contextDirectory,
    docker_file: step.dockerfilePath,
    build_args: step.buildArgs,
    source: step.source,
    template_id: step.templateId,
    template_name: templateName,
    enable_buildkit: step.enableBuildkit,
    platform: step.platforms,
  };
}

/** In an answer, in the form in which it is sent. */
export const shownDockerBuildStep = z
  .object({
    dockerfile_source: z.enum(["local", "template"]),
    build_context_dir: z.string(),
    dockerfile_directory: z.string(),
    template_name: z.string(),
    build_args: z.string(),
    enable_buildkit: z.boolean(),
    platforms: z.string(),
  })
  .meta({ id: "DockerBuildStep" });

/** Writes what `dockerBuildInput` reads. */
export function showDockerBuildStep(step: DockerBuild, templateName: string): z.input<typeof shownDockerBuildStep> {
  return {
    dockerfile_source: step.source,
    build_context_dir: step.contextDirectory,
    dockerfile_directory: step.dockerfilePath,
    template_name: templateName,
    build_args: step.buildArgs,
    enable_buildkit: step.enableBuildkit,
    platforms: step.platforms,
  };
}
