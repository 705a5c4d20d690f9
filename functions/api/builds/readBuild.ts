import { notFound } from "../../../shared/base/errors/apiError.ts";
import type { BuildDefinition } from "../../../shared/workflows/jobDefinitions/rules/build/buildDefinition.ts";
import { builds } from "../../../shared/workflows/jobDefinitions/store/builds.ts";
import {
  findBuildTemplate,
  type VersionedBuildTemplate,
} from "../../../shared/workflows/jobDefinitions/store/buildTemplates.ts";
import type { VersionedDefinition } from "../../../shared/workflows/jobDefinitions/store/definitionStore.ts";

export interface ReadBuild {
  build: VersionedDefinition<BuildDefinition>;
  /** Of a build from a template. */
  template: VersionedBuildTemplate | undefined;
}

/** A build and the template that it is made from. @throws ApiError 404 */
export async function readBuild(projectKey: string, name: string): Promise<ReadBuild> {
  const build = await builds.find(projectKey, name);
  if (build === undefined) throw notFound(`build ${name} of project ${projectKey}`);
  const { content } = build;
  return { build, template: content.source === "template" ? await templateOf(content.templateId) : undefined };
}

/** A template exists as long as builds refer to it, so one that a cheap read misses has just been made. */
async function templateOf(id: string): Promise<VersionedBuildTemplate | undefined> {
  return (await findBuildTemplate(id, { consistent: false })) ?? findBuildTemplate(id);
}
