import * as z from "zod";
import { paging, plainName } from "../../../shared/http/schemas.ts";
import { shownAdvancedSettings } from "../../../shared/workflows/definition/script/advancedSettings.ts";
import { keyValInputs, shownKeyVal } from "../../../shared/workflows/definition/script/keyVal.ts";
import { shownOutput } from "../../../shared/workflows/definition/script/output.ts";
import { repositoryInputs } from "../../../shared/workflows/definition/script/repository.ts";
import { shownRepository } from "../../../shared/workflows/definition/script/repositoryForm.ts";
import { shownPackages } from "../../../shared/workflows/definition/script/scriptJob.ts";
import { buildScriptFields, readBuildScript } from "../../../shared/workflows/jobDefinitions/rules/build/buildForm.ts";
import { shownDockerBuild } from "../../../shared/workflows/jobDefinitions/rules/build/dockerBuildForm.ts";

/** Every target may have its own repositories and variables. */
const maxTargets = 50;

/** `/` and `#` would make two targets one. */
const targetName = (name: string) =>
  z
    .string(`${name} must be a text`)
    .min(1, { error: `${name} cannot be empty`, abort: true })
    .max(128, "must have at most 128 characters")
    .refine((name) => !/[/#\s\p{Cc}]/u.test(name), "must not contain / # or white space");
const target = { service_name: targetName("service_name"), service_module: targetName("service_module") };

interface Target {
  service_name: string;
  service_module: string;
}

function refuseTwice(targets: readonly Target[], context: z.core.$RefinementCtx): void {
  const seen = new Set<string>();
  for (const [position, { service_name, service_module }] of targets.entries()) {
    const name = `${service_name}/${service_module}`;
    const message = `duplicated service module: ${name}`;
    if (seen.has(name)) context.addIssue({ code: "custom", path: [position, "service_module"], message });
    seen.add(name);
  }
}

const ofProject = { name: plainName(), project_key: z.string("must be a text") };

/** A build of its own (contract W 10.1). */
export const newBuild = z
  .object({
    ...ofProject,
    ...buildScriptFields,
    services: z
      .array(z.object(target))
      .max(maxTargets, `must have at most ${maxTargets} service modules`)
      .superRefine(refuseTwice),
  })
  .transform((body) => ({
    source: "zadig" as const,
    name: body.name,
    projectKey: body.project_key,
    targets: body.services.map((one) => ({ serviceName: one.service_name, serviceModule: one.service_module })),
    script: readBuildScript(body),
  }));

const templateFields = {
  template_name: plainName(),
  target_services: z
    .array(
      z.object({ ...target, repo_info: repositoryInputs.nullish(), inputs: keyValInputs.nullish() }),
      "target_services must be a list",
    )
    .min(1, "target_service must have at least one item in it")
    .max(maxTargets, `must have at most ${maxTargets} service modules`)
    .superRefine(refuseTwice),
};

const readTargets = (targets: z.output<typeof templateFields.target_services>) =>
  targets.map((one) => ({
    serviceName: one.service_name,
    serviceModule: one.service_module,
    repositories: one.repo_info ?? [],
    keyVals: one.inputs ?? [],
  }));

/** A build from a template (contract W 10.3). */
export const newTemplateBuild = z.object({ ...ofProject, ...templateFields }).transform((body) => ({
  source: "template" as const,
  name: body.name,
  projectKey: body.project_key,
  templateName: body.template_name,
  targets: readTargets(body.target_services),
}));

/** The path names the build; the body may name it as well (contract W 10.4). */
export const changedTemplateBuild = z
  .object({ ...ofProject, name: plainName().optional(), ...templateFields })
  .transform((body) => ({
    name: body.name,
    projectKey: body.project_key,
    templateName: body.template_name,
    targets: readTargets(body.target_services),
  }));

export const saveQuery = z.object({
  source: z.enum(["", "zadig", "template"], "must be template, or left out").default(""),
});

const projectKey = z.string("empty project key.").min(1, "empty project key.");
export const listQuery = z.object({ projectKey, ...paging });
export const detailQuery = z.object({
  projectKey: z.string("empty projectKey.").min(1, "empty projectKey."),
  serviceName: z.string().default(""),
  serviceModule: z.string().default(""),
});
export const deleteQuery = z.object({
  projectKey,
  name: z.string("empty build name.").min(1, "empty build name."),
});

const shownTargets = z.array(z.object({ service_name: z.string(), service_module: z.string() }));

export const buildList = z.object({
  total: z.int(),
  builds: z.array(
    z
      .object({
        name: z.string(),
        project_key: z.string(),
        source: z.string(),
        update_by: z.string(),
        update_time: z.int(),
        target_services: shownTargets,
      })
      .meta({ id: "BuildItem" }),
  ),
});

const nothingYet = z.null();

export const buildDetail = z
  .object({
    project_key: z.string(),
    name: z.string(),
    source: z.string(),
    infrastructure: z.string(),
    script_type: z.string(),
    template_name: z.string(),
    update_by: z.string(),
    update_time: z.int(),
    target_services: shownTargets,
    repos: z.array(shownRepository),
    build_env: z.object({ basic_image_id: z.string(), basic_image_label: z.string(), installs: shownPackages }),
    advanced_settings: shownAdvancedSettings,
    build_script: z.string(),
    parameters: z.array(shownKeyVal),
    outputs: z.array(shownOutput),
    post_build: z.object({
      docker_build: shownDockerBuild.nullable(),
      object_storage_upload: nothingYet,
      scripts: z.string(),
    }),
  })
  .meta({ id: "Build" });
