import * as z from "zod";
import { recordRoutes } from "../../../shared/http/recordRoutes.ts";
import { defineRoute } from "../../../shared/http/route.ts";
import { madeRecord, paging, plainName } from "../../../shared/http/schemas.ts";
import { shownAdvancedSettings } from "../../../shared/workflows/definition/script/advancedSettings.ts";
import { shownKeyVal } from "../../../shared/workflows/definition/script/keyVal.ts";
import { repositoryInfo } from "../../../shared/workflows/definition/script/repositoryInfo.ts";
import { shownPackages } from "../../../shared/workflows/definition/script/scriptJob.ts";
import { buildScriptFields, readBuildScript } from "../../../shared/workflows/jobDefinitions/rules/build/buildForm.ts";
import { shownDockerBuildStep } from "../../../shared/workflows/jobDefinitions/rules/build/dockerBuildForm.ts";

const path = "/api/aslan/template/build";
const tag = "Template library";

/** The fields of a build without its service modules (decisions 7.7). */
export const newBuildTemplate = z
  .object({ name: plainName(), ...buildScriptFields })
  .transform((body) => ({ name: body.name, script: readBuildScript(body) }));

/** What can be sent back as it is. */
export const buildTemplate = z
  .object({
    id: z.string(),
    name: z.string(),
    infrastructure: z.string(),
    build_os: z.string(),
    installs: shownPackages,
    script_type: z.string(),
    build_script: z.string(),
    repo_info: z.array(repositoryInfo),
    parameters: z.array(shownKeyVal),
    docker_build_step: shownDockerBuildStep.nullable(),
    advanced_settings: shownAdvancedSettings,
  })
  .meta({ id: "BuildTemplate" });

export const buildTemplateList = z.object({
  build_templates: z.array(z.object({ id: z.string(), name: z.string() }).meta({ id: "BuildTemplateItem" })),
  total: z.int(),
});

const routes = recordRoutes(
  {
    path,
    idForm: "hex",
    tag,
    function: "Build Template",
    noun: "a build template",
    nouns: "build templates",
    nameField: "name",
  },
  {
    added: newBuildTemplate,
    changed: newBuildTemplate,
    listed: buildTemplateList,
    shown: buildTemplate,
    made: madeRecord,
  },
);

export const templateRoutes = {
  listBuildTemplates: defineRoute({
    method: "GET",
    path,
    summary: "List the build templates by name",
    tag,
    permission: { kind: "systemAdmin" },
    query: z.object(paging),
    queryAliases: { pageNum: ["page_num"], pageSize: ["page_size"] },
    response: buildTemplateList,
  }),
  addBuildTemplate: routes.add,
  getBuildTemplate: routes.read,
  updateBuildTemplate: {
    ...routes.change,
    summary: "Replace a build template; credentials that are sent as ******** stay",
  },
  deleteBuildTemplate: routes.remove,
};
