type Tree = Readonly<Record<string, unknown>>;

/** A service module that a build job may build. */
export interface BuildOption {
  serviceName: string;
  serviceModule: string;
  buildName: string;
}

/** What the jobs of a project's workflows may choose from. */
export interface JobOptions {
  builds: readonly BuildOption[];
}

/** Whether a definition has jobs whose choices must be looked up. */
export function needsBuilds(source: Tree): boolean {
  return jobsOf(source).some(({ type }) => type === "zadig-build");
}

/**
 * A definition whose jobs show what may be chosen (contract W 2.2). What the definition itself holds stands first and is
 * kept as it is; of a list that it fills nothing is lost.
 */
export function withOptions(source: Tree, options: JobOptions): Tree {
  return mapJobs(source, (job) => ({ ...job, ...(isTree(job.spec) && { spec: specOf(job.type, job.spec, options) }) }));
}

/** As a start of the workflow begins: jobs that do not run by themselves are skipped (contract W 2.4 step 3). */
export function withRunPolicies(source: Tree): Tree {
  return mapJobs(source, (job) => (job.run_policy === "default_not_run" ? { ...job, skipped: true } : job));
}

export function mapJobs(source: Tree, change: (job: Tree) => Tree): Tree {
  const stages = treesOf(source.stages).map((stage) => ({ ...stage, jobs: treesOf(stage.jobs).map(change) }));
  return { ...source, stages };
}

function specOf(type: unknown, spec: Tree, { builds }: JobOptions): Tree {
  switch (type) {
    case "zadig-build":
      return {
        ...spec,
        ...lists(spec, ["service_and_builds", "default_service_and_builds"]),
        service_and_builds_options: buildOptions(spec, builds),
      };
    case "zadig-deploy":
      return { ...spec, service_and_images: imagesOf(spec) };
    case "zadig-test":
      return { ...spec, ...lists(spec, ["test_modules", "test_module_options", "service_test_options"]) };
    case "zadig-scanning":
      return { ...spec, ...lists(spec, ["scannings", "scanning_options", "service_scanning_options"]) };
    default:
      return spec;
  }
}

/** What is stored of a module is kept, with its variables and repositories; modules that it lacks follow. */
function buildOptions(spec: Tree, builds: readonly BuildOption[]): Tree[] {
  const stored = treesOf(spec.service_and_builds_options);
  const offered = new Set(stored.map(moduleOf));
  const chosen = new Map(
    [...treesOf(spec.service_and_builds), ...treesOf(spec.default_service_and_builds)].map((item) => [
      moduleOf(item),
      item,
    ]),
  );
  const added = builds.flatMap(({ serviceName, serviceModule, buildName }): Tree[] => {
    const module = { service_name: serviceName, service_module: serviceModule };
    if (offered.has(moduleOf(module))) return [];
    const empty = {
      image: "",
      package: "",
      image_name: serviceModule,
      key_vals: [],
      repos: [],
      share_storage_info: null,
    };
    return [chosen.get(moduleOf(module)) ?? { ...module, build_name: buildName, ...empty }];
  });
  return [...stored, ...added];
}

function moduleOf({ service_name, service_module }: Tree): string {
  return JSON.stringify([service_name, service_module]);
}

/** Modules of the chosen services, where the definition does not list them itself. */
function imagesOf(spec: Tree): Tree[] {
  const stored = treesOf(spec.service_and_images);
  if (stored.length > 0) return stored;
  return treesOf(spec.services).flatMap(({ service_name, modules }) =>
    treesOf(modules).map(({ service_module, image, image_name }) => ({
      ...{ service_name, service_module: service_module ?? "" },
      ...{ image: image ?? "", image_name: image_name ?? "" },
    })),
  );
}

function lists(spec: Tree, fields: readonly string[]): Tree {
  return Object.fromEntries(fields.map((field) => [field, Array.isArray(spec[field]) ? spec[field] : []]));
}

function jobsOf(source: Tree): Tree[] {
  return treesOf(source.stages).flatMap((stage) => treesOf(stage.jobs));
}

function treesOf(value: unknown): Tree[] {
  return Array.isArray(value) ? value.filter(isTree) : [];
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
