import type * as z from "zod";
import { ApiError } from "../../../base/errors/apiError.ts";
import type { WorkflowJob } from "../../definition/definition.ts";
import type { ScriptJob } from "../../definition/script/scriptJob.ts";
import type { DefinitionItem, ServiceItem, ServiceModule } from "../../definition/specParts.ts";
import { readCredentials } from "../../jobDefinitions/readCredentials.ts";
import type { DefinitionStore } from "../../jobDefinitions/store/definitionStore.ts";
import { mayRun, withThatToken } from "../mayRun.ts";
import type { ExpandedJob, JobPlanner, PlanScope } from "../planner.ts";
import { type ItemLists, itemsToRun, optionsFor, requireItem, type serviceInputs } from "./definitionItems.ts";
import { type PlannedDefinition, planDefinition } from "./definitionRun.ts";
import { textOf } from "./jobVariables.ts";
import { withDefinitionInputs } from "./withDefinitionInputs.ts";

type Inputs = z.output<typeof serviceInputs>[number];

/** What a start call says of a job of tests or scans. */
export interface ItemsGiven {
  items: readonly (Pick<Inputs, "repo_info" | "inputs"> & { name: string })[];
  services: readonly Inputs[];
}

/** One test or scan that is to run, as it is stored now. */
export interface DefinitionPart<Content extends ScriptJob> {
  name: string;
  projectKey: string;
  content: Content;
  planned: PlannedDefinition;
  /** What it runs for, in the form of a service. */
  module?: ServiceModule;
}

/** How jobs of tests and jobs of scans differ. */
export interface DefinitionKind<Content extends ScriptJob> {
  noun: string;
  verb: "run_test" | "run_scan";
  store: DefinitionStore<Content>;
  lists(job: WorkflowJob): ItemLists;
  given(job: WorkflowJob, parameters: Record<string, unknown>): ItemsGiven;
  /** The fields of the spec that hold the chosen ones. */
  fields: { chosen: string; services: string };
  expand(
    part: DefinitionPart<Content>,
    job: WorkflowJob,
    scope: PlanScope,
  ): Pick<ExpandedJob, "jobInfo" | "spec" | "run">;
}

/** Runs tests or scans of the project: a job task for each, or for each service module (contract W 5, 8.9). */
export function definitionPlanner<Content extends ScriptJob>(kind: DefinitionKind<Content>): JobPlanner {
  return {
    select: (job, parameters, scope) => select(kind, job, parameters, scope),
    expand: async (job, scope) => {
      const parts = await partsOf(kind, job, scope);
      return parts.map((part) => ({
        ...kind.expand(part, job, scope),
        parts: keyOf(part),
        timeoutMinutes: part.planned.run.settings.timeoutMinutes,
        ...(part.module && {
          serviceModule: { service: part.module.service_name, module: part.module.service_module },
        }),
      }));
    },
    variables: async (job, scope) => {
      const parts = await partsOf(kind, job, { ...scope, keepSecret: () => "" });
      return new Map(
        parts.flatMap((part) =>
          part.planned.variables
            .filter((one) => one.is_credential !== true)
            .map((one): [string, string] => [[...keyOf(part), one.key].join("."), textOf(one)]),
        ),
      );
    },
  };
}

function keyOf({ name, module }: Pick<DefinitionPart<ScriptJob>, "name" | "module">): string[] {
  return module === undefined ? [name] : [module.service_name, module.service_module];
}

async function partsOf<Content extends ScriptJob>(
  kind: DefinitionKind<Content>,
  job: WorkflowJob,
  scope: PlanScope,
): Promise<DefinitionPart<Content>[]> {
  return Promise.all(itemsToRun(kind.lists(job), job.name, scope).map((item) => partOf(kind, item, scope)));
}

async function partOf<Content extends ScriptJob>(
  kind: DefinitionKind<Content>,
  item: DefinitionItem | ServiceItem,
  scope: PlanScope,
): Promise<DefinitionPart<Content>> {
  const definition = await requireDefinition(kind, item, scope);
  const { name, projectKey, content } = definition;
  const info = item.share_storage_info;
  const planned = await planDefinition(
    content,
    {
      what: `${kind.noun} ${name}`,
      repos: item.repos,
      keyVals: item.key_vals,
      credentials: await readCredentials(kind.store, definition),
      shareStorages:
        info?.enabled === true ? info.share_storages.map((one) => ({ name: one.name, path: one.path ?? "" })) : [],
    },
    scope,
  );
  const { service_name, service_module } = item;
  const module =
    typeof service_name === "string" ? { service_name, service_module: String(service_module ?? "") } : undefined;
  return { name, projectKey, content, planned, ...(module && { module }) };
}

/**
 * As it is stored now: a retry reads it again (contract W 8.8). One of another project runs for those alone who may run
 * it there, because it brings its credentials along.
 * @throws ApiError 6160
 */
async function requireDefinition<Content extends ScriptJob>(
  { noun, verb, store }: DefinitionKind<Content>,
  { name, project_name }: DefinitionItem,
  { project, creator }: PlanScope,
) {
  const projectKey = project_name || project.key;
  if (projectKey !== project.key && !(await mayRun(creator, verb, { projectKey })))
    throw new ApiError(
      6160,
      `${noun} ${name}: ${creator.name} may not run it${withThatToken(creator)}; it needs ${verb} in project ${projectKey}`,
    );
  const found = await store.find(projectKey, name);
  if (found === undefined) throw new ApiError(6160, `${noun} ${name} does not exist in project ${projectKey}`);
  return found;
}

/** What is named replaces what the job would run; the services of one that takes them from another job are fixed by it. */
async function select<Content extends ScriptJob>(
  kind: DefinitionKind<Content>,
  job: WorkflowJob,
  parameters: Record<string, unknown>,
  scope: PlanScope,
): Promise<Record<string, unknown>> {
  const lists = kind.lists(job);
  const given = kind.given(job, parameters);
  const { fields } = kind;
  const withInputs = async <Item extends DefinitionItem>(item: Item, input: Pick<Inputs, "repo_info" | "inputs">) => {
    const { content } = await requireDefinition(kind, item, scope);
    return { ...item, ...(await withDefinitionInputs(item, content, input)) };
  };
  if (!lists.isPerService) {
    if (given.items.length === 0) return { ...job.spec };
    const chosen = given.items.map((input) => withInputs(requireItem(lists, input.name, job.name), input));
    return { ...job.spec, [fields.chosen]: await Promise.all(chosen) };
  }
  if (given.services.length === 0) return { ...job.spec };
  const chosen = given.services.flatMap((input) =>
    optionsFor(lists, input, job.name, scope).map((item) => withInputs(item, input)),
  );
  const target_services = given.services.map(({ service_name, service_module }) => ({ service_name, service_module }));
  return { ...job.spec, source: "runtime", target_services, [fields.services]: await Promise.all(chosen) };
}
