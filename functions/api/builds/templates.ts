import type * as z from "zod";
import { credentialField } from "../../../shared/definitions/credentials.ts";
import { savedPlace } from "../../../shared/definitions/savedPlace.ts";
import { showDockerBuildStep } from "../../../shared/domain/build/dockerBuildForm.ts";
import { showSettings } from "../../../shared/domain/job/advancedSettings.ts";
import { showKeyVal } from "../../../shared/domain/job/keyVal.ts";
import { showRepositoryInfo } from "../../../shared/domain/job/repositoryInfo.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { type BuildTemplate, pageOfBuildTemplates } from "../../../shared/store/definitions/buildTemplates.ts";
import { savedName } from "../../../shared/store/definitions/namedUse.ts";
import { codeHosts } from "../../../shared/store/integrations/codeHosts.ts";
import { dockerfileTemplates } from "../../../shared/store/integrations/dockerfileTemplates.ts";
import { addTemplate, changeTemplate, removeTemplate, requireTemplate } from "./saveTemplate.ts";
import type { buildTemplate, templateRoutes } from "./templateRoutes.ts";

export const templateHandlers: Handlers<typeof templateRoutes> = {
  listBuildTemplates: async ({ query }) => {
    const { templates, total } = await pageOfBuildTemplates(query.pageNum, query.pageSize);
    return { build_template: templates.map(({ id, name }) => ({ id, name })), total };
  },
  addBuildTemplate: async ({ body }) => ({ ...success, id: await addTemplate(body) }),
  getBuildTemplate: async ({ params }) => answerOf(await requireTemplate(params.id)),
  updateBuildTemplate: async ({ params, body }) => {
    await changeTemplate(params.id, body);
    return success;
  },
  deleteBuildTemplate: async ({ params }) => {
    await removeTemplate(params.id);
    return success;
  },
};

function answerOf({ id, name, content, secretFields, uses }: BuildTemplate): z.input<typeof buildTemplate> {
  const { dockerBuild, repositories, keyVals } = content;
  return {
    id,
    name,
    infrastructure: content.infrastructure,
    build_os: content.image.label,
    installs: content.installs.map((one) => ({ name: one.name, version: one.version })),
    script_type: content.scriptType,
    build_script: content.script,
    repo_info: repositories.map((one) =>
      showRepositoryInfo(one, savedName(uses, codeHosts.key(String(one.codeHostId)))),
    ),
    parameters: keyVals.map((pair) => showKeyVal(pair, secretFields.includes(credentialField("", pair.key)))),
    docker_build_step:
      dockerBuild === undefined
        ? null
        : showDockerBuildStep(dockerBuild, savedName(uses, dockerfileTemplates.key(dockerBuild.templateId))),
    advanced_settings: showSettings(content.settings, savedPlace(content.settings, uses)),
  };
}
