import { isRecord } from "../../manifest/kubeObject.ts";
import {
  type DefinitionInputs,
  type DefinitionOption,
  namesIn,
  optionsOf,
  withDefinition,
  withDefinitions,
} from "./definitionOptions.ts";
import { chosenImages, type EnvironmentOption, environmentIn, environmentOptions } from "./environmentOptions.ts";
import { type Tree, treesOf } from "./tree.ts";

/** A service module that a build job may build, with what its build brings. */
export interface BuildOption extends DefinitionInputs {
  serviceName: string;
  serviceModule: string;
  buildName: string;
}

/** What the jobs of a project's workflows may choose from; lists that no job asks for may be empty. */
export interface JobOptions {
  projectKey: string;
  builds: readonly BuildOption[];
  /** Tests and code scans of the project that jobs name. */
  tests: readonly DefinitionOption[];
  scans: readonly DefinitionOption[];
  environments: readonly EnvironmentOption[];
}

/** What must be looked up for the jobs of a definition. */
export interface OptionNeeds {
  builds: boolean;
  /** Names of tests and code scans. */
  tests: string[];
  scans: string[];
  environments: boolean;
  /** Keys of environments whose services are shown. */
  servicesOf: string[];
}

/** Types whose jobs choose an environment. */
const environmentTypes = ["zadig-deploy", "zadig-restart"];

export function optionNeeds(source: Tree, projectKey: string): OptionNeeds {
  const jobs = treesOf(source.stages).flatMap((stage) => treesOf(stage.jobs));
  const specsOf = (...types: string[]) =>
    jobs.filter(({ type, spec }) => types.includes(String(type)) && isRecord(spec)).map(({ spec }) => spec as Tree);
  const named = (type: string) => [...new Set(specsOf(type).flatMap((spec) => namesIn(type, spec, projectKey)))];
  const placed = specsOf(...environmentTypes);
  return {
    builds: jobs.some(({ type }) => type === "zadig-build"),
    tests: named("zadig-test"),
    scans: named("zadig-scanning"),
    environments: placed.length > 0,
    servicesOf: [...new Set(placed.map(environmentIn))].filter((key) => key !== ""),
  };
}

/**
 * A definition whose jobs show what may be chosen (contract W 2.2). What the definition itself holds stands first and is
 * kept as it is; of a list that it fills nothing is lost.
 */
export function withOptions(source: Tree, options: JobOptions): Tree {
  return mapJobs(source, (job) => ({
    ...job,
    ...(isRecord(job.spec) && { spec: specOf(job.type, job.spec, options) }),
  }));
}

/** As a start of the workflow begins: jobs that do not run by themselves are skipped (contract W 2.4 step 3). */
export function withRunPolicies(source: Tree): Tree {
  return mapJobs(source, (job) => (job.run_policy === "default_not_run" ? { ...job, skipped: true } : job));
}

export function mapJobs(source: Tree, change: (job: Tree) => Tree): Tree {
  const stages = treesOf(source.stages).map((stage) => ({ ...stage, jobs: treesOf(stage.jobs).map(change) }));
  return { ...source, stages };
}

/** What tells the items of a patch apart. */
const patchIdentity = ["resource_group", "resource_kind", "resource_name", "patch_content"];

function specOf(type: unknown, spec: Tree, options: JobOptions): Tree {
  const { projectKey, environments } = options;
  switch (type) {
    case "zadig-build":
      return {
        ...spec,
        ...lists(spec, ["service_and_builds", "default_service_and_builds"]),
        service_and_builds_options: buildOptions(spec, options.builds),
      };
    case "zadig-deploy":
      return {
        ...spec,
        env_options: environmentOptions(spec, environments),
        service_and_images: chosenImages(spec, environments),
      };
    case "zadig-restart":
      return { ...spec, env_options: environmentOptions(spec, environments) };
    case "zadig-test":
      return withDefinitions(type, spec, options.tests, projectKey);
    case "zadig-scanning":
      return withDefinitions(type, spec, options.scans, projectKey);
    case "freestyle":
      if (spec.freestyle_type !== "service_freestyle") return spec;
      return { ...spec, ...lists(spec, ["services", "default_services"]) };
    case "custom-deploy":
      return { ...spec, target_options: optionsOf(spec, "target_options", "targets", ["target"]) };
    case "k8s-resource-patch":
      return { ...spec, patch_item_options: optionsOf(spec, "patch_item_options", "patch_items", patchIdentity) };
    default:
      return spec;
  }
}

/**
 * One entry for every build of a module, with its repositories and variables where the job says no others. What is
 * stored stands first; what is chosen is shown as it was chosen.
 */
function buildOptions(spec: Tree, builds: readonly BuildOption[]): Tree[] {
  const buildOf = (item: Tree) => builds.find((build) => isOf(item, build));
  const stored = treesOf(spec.service_and_builds_options);
  const offered = new Set(stored.map(buildOf));
  const chosen = [...treesOf(spec.service_and_builds), ...treesOf(spec.default_service_and_builds)];
  const added = builds
    .filter((build) => !offered.has(build))
    .map((build): Tree => {
      const { serviceName, serviceModule, buildName } = build;
      const module = { service_name: serviceName, service_module: serviceModule, build_name: buildName };
      const empty = { image: "", package: "", image_name: serviceModule, share_storage_info: null };
      return { ...empty, ...chosen.find((item) => buildOf(item) === build), ...module };
    });
  return [...stored, ...added].map((item) => withDefinition(item, buildOf(item)));
}

/** An item that names no build means the first one of its module, as when it runs. */
function isOf({ service_name, service_module, build_name }: Tree, build: BuildOption): boolean {
  const isModule = service_name === build.serviceName && service_module === build.serviceModule;
  return isModule && (!build_name || build_name === build.buildName);
}

function lists(spec: Tree, fields: readonly string[]): Tree {
  return Object.fromEntries(fields.map((field) => [field, Array.isArray(spec[field]) ? spec[field] : []]));
}
