import { codeHosts } from "../../../integrations/store/codeHosts.ts";
import { type RegistryRecord, requireRegistry } from "../../../packaging/registries/store/registries.ts";
import type { WorkflowJob } from "../../definition/definition.ts";
import { buildOutputs } from "../../definition/script/output.ts";
import type { Repository } from "../../definition/script/repository.ts";
import type { JobVariable } from "../../definition/specParts.ts";
import type { DockerBuild } from "../../jobDefinitions/rules/build/buildDefinition.ts";
import { readBuildCredentials } from "../../jobDefinitions/runnableBuild.ts";
import { defaultTag, imageReference, packageFile } from "../../pods/rules/imageNames.ts";
import type { ScriptRun } from "../container/containerRun.ts";
import { planDefinition } from "../container/definitionRun.ts";
import { textOf } from "../container/jobVariables.ts";
import { repositoryAddress } from "../container/repositoryAddress.ts";
import type { ExpandedJob, JobPlanner, PlanScope } from "../planner.ts";
import { readSpec } from "../readSpec.ts";
import { itemsOf, requireBuild } from "./items.ts";
import { type BuildItem, kind as zadigBuild } from "./kind.ts";
import { selectBuild } from "./select.ts";

/** What a build job runs beside its script. */
export interface BuildRun extends ScriptRun {
  service: string;
  serviceModule: string;
  registryId: string;
  /** The full reference. */
  builtImage: string;
  dockerBuild?: DockerBuild;
}

/** Builds service modules: one job task for each (contract W 5, 11). */
export const planner: JobPlanner = {
  select: selectBuild,
  expand: async (job, scope) => {
    const planned = await planItems(job, scope);
    return planned.map(({ expanded }) => expanded);
  },
  variables: async (job, scope) => {
    const planned = await planItems(job, { ...scope, keepSecret: () => "" });
    const each = await Promise.all(planned.map((one) => valuesOf(one, job.name)));
    const joined = (pick: (one: (typeof each)[number]) => string) => each.map(pick).join(",");
    return new Map([
      ["SERVICES", joined(({ module }) => module.replace(".", "/"))],
      ["BRANCHES", joined(({ values }) => values.BRANCH ?? "")],
      ["IMAGES", joined(({ values }) => values.IMAGE ?? "")],
      ["GITURLS", joined(({ values }) => values.GITURL ?? "")],
      ...each.flatMap(({ module, values }) =>
        Object.entries(values).map(([key, value]): [string, string] => [`${module}.${key}`, value]),
      ),
    ]);
  },
};

interface Planned {
  item: BuildItem;
  run: BuildRun;
  variables: readonly JobVariable[];
  expanded: ExpandedJob;
}

async function planItems(job: WorkflowJob, scope: PlanScope): Promise<Planned[]> {
  const spec = readSpec(zadigBuild, job);
  const items = await itemsOf(spec, job.name, scope);
  if (items.length === 0) return [];
  const registry = await requireRegistry(spec.docker_registry_id ?? "");
  return Promise.all(items.map((item) => planItem(item, registry, scope)));
}

async function planItem(item: BuildItem, registry: RegistryRecord, scope: PlanScope): Promise<Planned> {
  const { service_name, service_module } = item;
  const { name, script } = await requireBuild(item, scope);
  const target = { serviceName: service_name, serviceModule: service_module };
  const credentials = await readBuildCredentials(scope.project.key, name, target);
  const info = item.share_storage_info;
  const shares =
    info?.enabled === true ? info.share_storages.map((one) => ({ name: one.name, path: one.path ?? "" })) : [];
  const use = { what: `build ${name}`, repos: item.repos, keyVals: item.key_vals, credentials, shareStorages: shares };
  const { run: common, shown, variables } = await planDefinition(script, use, scope);
  const builtImage = imageReference({
    registryAddress: registry.address,
    registryNamespace: registry.namespace,
    imageName: item.image_name || service_module,
    tag: defaultTag(primaryOf(common.repositories), { taskId: scope.taskId, now: scope.startedAt }),
  });
  const run: BuildRun = {
    ...common,
    facts: [],
    outputs: [...new Set([...buildOutputs, ...script.outputs, ...script.settings.outputs].map((one) => one.name))],
    ...{ service: service_name, serviceModule: service_module, registryId: registry.registryId, builtImage },
    ...(script.dockerBuild !== undefined && { dockerBuild: script.dockerBuild }),
  };
  const expanded: ExpandedJob = {
    parts: [service_name, service_module],
    jobInfo: { service_name, service_module },
    spec: { repos: shown.repos, image: "", package: "", service_name, service_module, envs: shown.envs },
    run: { ...run },
    timeoutMinutes: common.settings.timeoutMinutes,
    serviceModule: { service: service_name, module: service_module },
  };
  return { item, run, variables, expanded };
}

/** What of one module other jobs may read (contract W 6); a credential is not among it. */
async function valuesOf(
  { run, variables }: Planned,
  jobName: string,
): Promise<{ module: string; values: Record<string, string> }> {
  const repository = primaryOf(run.repositories);
  const host = repository && (await codeHosts.find(String(repository.codeHostId)));
  const plain = variables.filter((one) => one.is_credential !== true);
  return {
    module: `${run.service}.${run.serviceModule}`,
    values: {
      ...Object.fromEntries(plain.map((one) => [one.key, textOf(one)])),
      SERVICE_NAME: run.service,
      SERVICE_MODULE: run.serviceModule,
      BRANCH: repository?.branch ?? "",
      COMMITID: repository?.commitId ?? "",
      REPONAME: repository?.name ?? "",
      GITURL: repository && host ? repositoryAddress(host.shown, repository).replace(/\.git$/, "") : "",
      PRE_MEGRE_BRANCHES: repository?.mergeBranches.join(",") ?? "",
      // A script may push another one than it was told.
      IMAGE: `{{.job.${jobName}.${run.service}.${run.serviceModule}.output.IMAGE}}`,
      PKG_FILE: packageFile(run.builtImage),
    },
  };
}

/** Names the tag (contract W 11.5). */
function primaryOf(repositories: readonly Repository[]): Repository | undefined {
  return repositories.find(({ isPrimary }) => isPrimary) ?? repositories[0];
}
