import { ApiError } from "../../../base/errors/apiError.ts";
import type { WorkflowJob } from "../../definition/definition.ts";
import { withTextsApart } from "../../definition/outsideTexts.ts";
import { refusalOf } from "../../definition/refusal.ts";
import type { JobRepositories, JobVariable } from "../../definition/specParts.ts";
import { findJobImage, missingImage, type NamedImage } from "../../jobDefinitions/findJobImage.ts";
import type { RunVariable, ScriptRun } from "../container/containerRun.ts";
import { planRepositories } from "../container/jobRepositories.ts";
import { paramVariables, planVariables, textOf } from "../container/jobVariables.ts";
import { requirePlaceFor, settingsOfForm } from "../container/settings.ts";
import { isSameModule } from "../modulesOfJob.ts";
import type { ExpandedJob, JobPlanner, PlanScope } from "../planner.ts";
import { readSpec } from "../readSpec.ts";
import { kind as freestyle } from "./kind.ts";
import { optionsOf, selectFreestyle } from "./select.ts";
import { type FreestyleService, type FreestyleSpec, isPerService } from "./spec.ts";

/** What a freestyle job needs beside a script. */
export interface FreestyleRun extends ScriptRun {
  /** Files that are kept after the script, in the workspace unless absolute. */
  uploads: readonly { path: string; name: string }[];
}

/** A script in a container: one job task, or one for each service module (contract W 5, 8.9). */
export const planner: JobPlanner = {
  select: selectFreestyle,
  expand: async (job, scope) => {
    const spec = readSpec(freestyle, job);
    const run = await commonRun(job, spec, scope);
    await requirePlaceFor(scope.project.key, `job ${job.name}`, run.settings);
    if (!isPerService(spec))
      return [await expanded(run, { repos: reposOf(spec), variables: variablesOf(spec) }, scope)];
    const each = servicesOf(job, spec, scope).map((service) =>
      expanded(run, { repos: service.repos, variables: service.key_vals, service }, scope),
    );
    return Promise.all(each);
  },
  variables: async (job, scope) => {
    const spec = readSpec(freestyle, job);
    if (!isPerService(spec)) return new Map(plainValues(variablesOf(spec)));
    return new Map(
      servicesOf(job, spec, scope).flatMap(({ service_name, service_module, key_vals }) =>
        plainValues(key_vals, `${service_name}.${service_module}.`),
      ),
    );
  },
};

type CommonRun = Omit<FreestyleRun, "repositories" | "variables" | "facts"> & { textVariables: RunVariable[] };

async function commonRun(job: WorkflowJob, spec: FreestyleSpec, scope: PlanScope): Promise<CommonRun> {
  const { runtime, properties } = spec;
  const place = runtime ?? properties;
  const form = spec.advanced_setting ?? spec.advanced_settings ?? properties;
  const older = spec.steps.flatMap((step) => step.spec ?? []);
  const scripts = [spec.script ?? "", ...older.map(({ script, scripts: lines }) => script || lines.join("\n"))];
  const written = scripts.filter((text) => text !== "").join("\n");
  const {
    scripts: [script = ""],
    variables: textVariables,
  } = withTextsApart([written], scope.definition);
  const packages = [...(place?.installs ?? []), ...older.flatMap(({ installs }) => installs)];
  const upload = spec.object_storage_upload?.enabled === true ? spec.object_storage_upload.upload_detail : [];
  return {
    refusal: refusalOf({ infrastructure: place?.infrastructure, scriptType: spec.script_type }),
    image: await jobImage(job.name, { imageId: place?.image_id, label: place?.build_os }),
    packages: packages.map(({ name, version }) => ({ name, version: version ?? "" })),
    script,
    textVariables,
    outputs: [...new Set([...(form?.outputs ?? []), ...spec.outputs].map(({ name }) => name))],
    settings: settingsOfForm(scope.project.key, form ?? undefined),
    ignoreCache: scope.definition.ignore_cache === true,
    cacheName: job.name,
    uploads: upload.flatMap(({ file_path, dest_path }) =>
      file_path ? [{ path: file_path, name: dest_path || file_path }] : [],
    ),
  };
}

interface Part {
  repos: JobRepositories;
  variables: readonly JobVariable[];
  service?: FreestyleService;
}

async function expanded(
  { textVariables, ...common }: CommonRun,
  { repos, variables, service }: Part,
  scope: PlanScope,
): Promise<ExpandedJob> {
  const repositories = await planRepositories(repos, scope);
  const planned = planVariables(variables, scope);
  const { service_name = "", service_module = "" } = service ?? {};
  const run: FreestyleRun = {
    ...common,
    repositories: repositories.run,
    facts:
      service === undefined
        ? []
        : Object.entries({ SERVICE: service_name, SERVICE_NAME: service_name, SERVICE_MODULE: service_module }).map(
            ([name, value]) => ({ name, value }),
          ),
    variables: [...paramVariables(scope), ...planned.run, ...textVariables],
  };
  return {
    parts: service === undefined ? [] : [service_name, service_module],
    ...(service !== undefined && {
      jobInfo: { service_name, service_module },
      serviceModule: { service: service_name, module: service_module },
    }),
    spec: {
      ...{ repos: repositories.shown, image: "", package: "", service_name, service_module },
      envs: planned.shown,
    },
    run: { ...run },
    timeoutMinutes: common.settings.timeoutMinutes,
  };
}

/** Those that were chosen; otherwise the preselected ones, or all of the job that they come from. */
function servicesOf(job: WorkflowJob, spec: FreestyleSpec, scope: PlanScope): FreestyleService[] {
  const options = optionsOf(job, spec, scope);
  const chosen = spec.services.length > 0 ? spec.services : spec.default_services;
  if (chosen.length === 0 && spec.source === "fromjob") return options;
  return options.filter((option) => chosen.some((one) => isSameModule(one, option)));
}

function reposOf({ repos, steps }: FreestyleSpec): JobRepositories {
  return [...repos, ...steps.flatMap((step) => step.spec?.repos ?? [])];
}

function variablesOf({ envs, properties }: FreestyleSpec): JobVariable[] {
  return envs.length > 0 ? envs : (properties?.envs ?? []);
}

/** What other jobs may read; a credential is not among it. */
function plainValues(variables: readonly JobVariable[], prefix = ""): [string, string][] {
  return variables.filter((one) => one.is_credential !== true).map((one) => [`${prefix}${one.key}`, textOf(one)]);
}

/** The image of a job, as `findJobImage` says. @throws ApiError 6160 naming what there is not */
async function jobImage(jobName: string, named: NamedImage): Promise<string> {
  const found = await findJobImage(named);
  if (found !== undefined) return found;
  throw new ApiError(6160, `job ${jobName}: ${missingImage(named)}`);
}
