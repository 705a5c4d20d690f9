import type * as z from "zod";
import { dockerfileTemplates } from "../../../shared/integrations/store/dockerfileTemplates.ts";
import { showSettings } from "../../../shared/workflows/definition/script/advancedSettings.ts";
import { showKeyVal } from "../../../shared/workflows/definition/script/keyVal.ts";
import { showRepository } from "../../../shared/workflows/definition/script/repositoryForm.ts";
import { credentialField } from "../../../shared/workflows/jobDefinitions/credentials.ts";
import { effectiveBuild, targetOf, targetScope } from "../../../shared/workflows/jobDefinitions/effectiveBuild.ts";
import type { BuildScript, BuildTarget } from "../../../shared/workflows/jobDefinitions/rules/build/buildDefinition.ts";
import { showDockerBuild } from "../../../shared/workflows/jobDefinitions/rules/build/dockerBuildForm.ts";
import { savedPlace } from "../../../shared/workflows/jobDefinitions/savedPlace.ts";
import type { BuildSummary } from "../../../shared/workflows/jobDefinitions/store/builds.ts";
import { buildTemplates } from "../../../shared/workflows/jobDefinitions/store/buildTemplates.ts";
import { type NamedUse, savedName } from "../../../shared/workflows/jobDefinitions/store/namedUse.ts";
import type { ReadBuild } from "./readBuild.ts";
import type { buildDetail, buildList } from "./schemas.ts";

/** Where a build came from: builds from a template are no source of their own (contract W 10.5). */
const source = "zadig";

export function listAnswer(
  projectKey: string,
  { shown, total }: { shown: readonly BuildSummary[]; total: number },
): z.input<typeof buildList> {
  const builds = shown.map(({ name, updatedBy, updatedAt, targets }) => ({
    ...{ name, project_key: projectKey, source, update_by: updatedBy, update_time: updatedAt },
    target_services: targets.map(toTarget),
  }));
  return { total, builds };
}

/** @param asked a service module whose repositories and variables are shown, of a build from a template */
export function detailAnswer(
  { build, template }: ReadBuild,
  asked: { serviceName: string; serviceModule: string },
): z.input<typeof buildDetail> {
  const { content } = build;
  const target = content.source === "template" ? targetOf(content, asked) : undefined;
  const shown = effectiveBuild(content, template?.content, target);
  const { uses } = template ?? build;
  return {
    project_key: build.projectKey,
    name: build.name,
    source,
    template_name: content.source === "template" ? savedName(build.uses, buildTemplates.key(content.templateId)) : "",
    update_by: build.updatedBy,
    update_time: build.updatedAt,
    target_services: content.targets.map(toTarget),
    ...scriptAnswer(shown, uses),
    parameters: parametersOf(shown, { build, template }, target),
  };
}

function scriptAnswer(shown: BuildScript, uses: readonly NamedUse[]) {
  const { image, installs, settings, dockerBuild } = shown;
  return {
    infrastructure: shown.infrastructure,
    script_type: shown.scriptType,
    repos: shown.repositories.map(showRepository),
    build_env: {
      basic_image_id: image.imageId,
      basic_image_label: image.label,
      installs: installs.map(({ name, version }) => ({ name, version })),
    },
    advanced_settings: showSettings(settings, savedPlace(settings, uses)),
    build_script: shown.script,
    outputs: shown.outputs.map(({ name, description }) => ({ name, description })),
    post_build: {
      docker_build:
        dockerBuild === undefined
          ? null
          : showDockerBuild(dockerBuild, savedName(uses, dockerfileTemplates.key(dockerBuild.templateId))),
      object_storage_upload: null,
      scripts: "",
    },
  };
}

/** A credential has a value where its build, its target or its template keeps one. */
function parametersOf(shown: BuildScript, { build, template }: ReadBuild, target: BuildTarget | undefined) {
  const scope = target === undefined ? "" : targetScope(target);
  return shown.keyVals.map((pair) => {
    const isKept =
      build.secretFields.includes(credentialField(scope, pair.key)) ||
      template?.secretFields.includes(credentialField("", pair.key)) === true;
    return showKeyVal(pair, isKept);
  });
}

function toTarget({ serviceName, serviceModule }: Pick<BuildTarget, "serviceName" | "serviceModule">) {
  return { service_name: serviceName, service_module: serviceModule };
}
