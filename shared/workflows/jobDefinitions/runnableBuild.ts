import { effectiveBuild, targetOf, targetScope } from "./effectiveBuild.ts";
import { readCredentials } from "./readCredentials.ts";
import type { BuildScript } from "./rules/build/buildDefinition.ts";
import { builds, findBuild } from "./store/builds.ts";
import { findBuildTemplate, findBuildTemplateSecrets } from "./store/buildTemplates.ts";
import { unsealCredentials } from "./unsealCredentials.ts";

/** A service module of a build. */
interface Target {
  serviceName: string;
  serviceModule: string;
}

export interface RunnableBuild {
  definitionId: string;
  projectKey: string;
  name: string;
  /** Its template's, with the repositories and values of the target, when it is made from one. */
  script: BuildScript;
}

/** What a build does for a service module; undefined when there is no such build in the project. */
export async function findRunnableBuild(
  projectKey: string,
  name: string,
  target: Target,
): Promise<RunnableBuild | undefined> {
  const build = await findBuild(projectKey, name);
  if (build === undefined) return undefined;
  const { definitionId, content } = build;
  const template = content.source === "template" ? await findBuildTemplate(content.templateId) : undefined;
  const script = effectiveBuild(content, template?.content, targetOf(content, target));
  return { definitionId, projectKey, name, script };
}

/**
 * Values of the credentials of a build by key, for the job of a service module alone. A credential without a value has
 * none here.
 */
export async function readBuildCredentials(
  projectKey: string,
  name: string,
  target: Target,
): Promise<Map<string, string>> {
  const build = await findBuild(projectKey, name);
  if (build === undefined) return new Map();
  const { content } = build;
  if (content.source === "zadig") return readCredentials(builds, build);
  const { templateId } = content;
  const ofTemplate = await unsealCredentials(
    `build-template:${templateId}`,
    await findBuildTemplateSecrets(templateId),
  );
  return new Map([...ofTemplate, ...(await readCredentials(builds, build, targetScope(target)))]);
}
