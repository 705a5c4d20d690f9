import { mayReadEnvironment } from "../../../shared/access/identity/rules/mayReadEnvironment.ts";
import {
  findWholeEnvironment,
  listEnvironments,
  type WholeEnvironment,
} from "../../../shared/environments/store/environments.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import type { DefinitionOption } from "../../../shared/workflows/definition/definitionOptions.ts";
import type { EnvironmentOption } from "../../../shared/workflows/definition/environmentOptions.ts";
import {
  type BuildOption,
  type OptionNeeds,
  optionNeeds,
  withOptions,
} from "../../../shared/workflows/definition/jobOptions.ts";
import type { ScriptJob } from "../../../shared/workflows/definition/script/scriptJob.ts";
import { effectiveBuild } from "../../../shared/workflows/jobDefinitions/effectiveBuild.ts";
import type {
  BuildDefinition,
  BuildScript,
} from "../../../shared/workflows/jobDefinitions/rules/build/buildDefinition.ts";
import { builds } from "../../../shared/workflows/jobDefinitions/store/builds.ts";
import { findBuildTemplate } from "../../../shared/workflows/jobDefinitions/store/buildTemplates.ts";
import type { DefinitionStore } from "../../../shared/workflows/jobDefinitions/store/definitionStore.ts";
import { scans } from "../../../shared/workflows/jobDefinitions/store/scans.ts";
import { tests } from "../../../shared/workflows/jobDefinitions/store/tests.ts";
import { requireWorkflow } from "../../../shared/workflows/saved/requireWorkflow.ts";
import type { VersionedWorkflow } from "../../../shared/workflows/saved/store/workflows.ts";

/**
 * A workflow whose jobs show what they may choose from (contract W 2.2): everything that is looked up is asked for at
 * once, and environments are those that the caller may see.
 * @throws ApiError 404
 */
export async function requireWithOptions(projectKey: string, key: string, caller: Caller): Promise<VersionedWorkflow> {
  const workflow = await requireWorkflow(projectKey, key);
  const needs = optionNeeds(workflow.source, projectKey);
  const [buildOptions, testOptions, scanOptions, environments] = await Promise.all([
    needs.builds ? buildOptionsOf(projectKey) : [],
    definitionOptionsOf(tests, projectKey, needs.tests),
    definitionOptionsOf(scans, projectKey, needs.scans),
    needs.environments ? environmentOptionsOf(projectKey, needs, caller) : [],
  ]);
  const options = { projectKey, builds: buildOptions, tests: testOptions, scans: scanOptions, environments };
  return { ...workflow, source: withOptions(workflow.source, options) };
}

/** What builds bring is in the builds, and for builds from a template in the template: their list has neither. */
async function buildOptionsOf(projectKey: string): Promise<BuildOption[]> {
  const names = (await builds.list(projectKey)).map(({ name }) => name);
  const found = await builds.findMany(projectKey, names);
  const templates = await templatesOf(found.map(({ content }) => content));
  const inOrder = names.flatMap((name) => found.find((build) => build.name === name) ?? []);
  return inOrder.flatMap(({ name, content }) => {
    const template = content.source === "template" ? templates.get(content.templateId) : undefined;
    if (content.source === "template" && template === undefined) return [];
    return content.targets.map((target) => {
      const { repositories, keyVals } = effectiveBuild(content, template, target);
      return { ...target, buildName: name, repositories, keyVals };
    });
  });
}

/** One that was deleted meanwhile is missing, and with it what is made from it. */
async function templatesOf(contents: readonly BuildDefinition[]): Promise<Map<string, BuildScript>> {
  const ids = new Set(contents.flatMap((content) => (content.source === "template" ? [content.templateId] : [])));
  const found = await Promise.all([...ids].map((id) => findBuildTemplate(id)));
  return new Map(found.flatMap((template) => (template ? [[template.id, template.content] as const] : [])));
}

async function definitionOptionsOf(
  store: DefinitionStore<ScriptJob>,
  projectKey: string,
  names: readonly string[],
): Promise<DefinitionOption[]> {
  const found = await store.findMany(projectKey, names);
  return found.map(({ name, content: { repositories, keyVals } }) => ({ name, repositories, keyVals }));
}

async function environmentOptionsOf(
  projectKey: string,
  { servicesOf }: OptionNeeds,
  caller: Caller,
): Promise<EnvironmentOption[]> {
  const [summaries, ...named] = await Promise.all([
    listEnvironments(projectKey),
    ...servicesOf.map((envKey) => findWholeEnvironment(projectKey, envKey)),
  ]);
  const services = new Map(named.flatMap((one) => (one ? [[one.environment.envKey, servicesIn(one)] as const] : [])));
  return summaries
    .filter((summary) => mayReadEnvironment(caller, projectKey, summary))
    .map(({ envKey, alias, production, registryId }) => {
      const standing = services.get(envKey);
      return { envKey, alias, production, registryId, ...(standing && { services: standing }) };
    });
}

function servicesIn({ services }: WholeEnvironment): NonNullable<EnvironmentOption["services"]> {
  return services.map(({ name, containers }) => ({
    name,
    modules: containers.map((one) => ({ name: one.name, image: one.image, imageName: one.imageName })),
  }));
}
