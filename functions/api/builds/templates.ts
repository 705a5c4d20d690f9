import type * as z from "zod";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { dockerfileTemplates } from "../../../shared/integrations/store/dockerfileTemplates.ts";
import { showDockerBuildStep } from "../../../shared/workflows/jobDefinitions/rules/build/dockerBuildForm.ts";
import { showScriptJob } from "../../../shared/workflows/jobDefinitions/showScriptJob.ts";
import {
  type BuildTemplate,
  pageOfBuildTemplates,
} from "../../../shared/workflows/jobDefinitions/store/buildTemplates.ts";
import { savedName } from "../../../shared/workflows/jobDefinitions/store/namedUse.ts";
import { addTemplate, changeTemplate, removeTemplate, requireTemplate } from "./saveTemplate.ts";
import type { buildTemplate, templateRoutes } from "./templateRoutes.ts";

export const templateHandlers: Handlers<typeof templateRoutes> = {
  listBuildTemplates: async ({ query }) => {
    const { templates, total } = await pageOfBuildTemplates(query.pageNum, query.pageSize);
    return { build_templates: templates.map(({ id, name }) => ({ id, name })), total };
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

function answerOf({ id, name, content, ...kept }: BuildTemplate): z.input<typeof buildTemplate> {
  const { dockerBuild } = content;
  return {
    id,
    name,
    infrastructure: content.infrastructure,
    build_os: content.image.label,
    script_type: content.scriptType,
    build_script: content.script,
    ...showScriptJob(content, kept),
    docker_build_step:
      dockerBuild === undefined
        ? null
        : showDockerBuildStep(dockerBuild, savedName(kept.uses, dockerfileTemplates.key(dockerBuild.templateId))),
  };
}
