import { seal } from "../../../../shared/base/aws/secrets/sealedSecret.ts";
import { ApiError } from "../../../../shared/base/errors/apiError.ts";
import { findEnvironmentService, findWholeEnvironment } from "../../../../shared/environments/store/environments.ts";
import { codeHosts } from "../../../../shared/integrations/store/codeHosts.ts";
import { treesOf } from "../../../../shared/manifest/tree.ts";
import { findServices } from "../../../../shared/projects/services/store/services.ts";
import type { WorkflowJob } from "../../../../shared/workflows/definition/definition.ts";
import { findRunnableBuild } from "../../../../shared/workflows/jobDefinitions/runnableBuild.ts";
import { type BuildSummary, builds } from "../../../../shared/workflows/jobDefinitions/store/builds.ts";
import {
  callbackOwner,
  type LegacyCallbackSettings,
  type LegacyTask,
} from "../../../../shared/workflows/records/legacyTask.ts";
import type { TaskActor, TaskOwner } from "../../../../shared/workflows/records/task.ts";
import { openDefinition } from "../../../../shared/workflows/saved/credentials.ts";
import { findWorkflow, ownerOf } from "../../../../shared/workflows/saved/store/workflows.ts";
import type { JobInput } from "../../../../shared/workflows/tasks/start/selectJobs.ts";
import { startDefinition } from "../../../../shared/workflows/tasks/start/startWorkflow.ts";
import type { LegacyStart } from "./legacySchemas.ts";

type Target = NonNullable<LegacyStart["targets"]>[number];
type Image = NonNullable<LegacyStart["release_images"]>[number];

/**
 * Starts a task as the older API asks for it (contract I 10.5): targets are built and deployed with what else the workflow
 * has; images are deployed alone.
 * @throws ApiError 6542 unknown workflow; 6160 unknown environment, nothing to run, and what a start refuses; 6083 unknown
 * service; 6168 a container that the environment does not have
 */
export async function startLegacy(
  body: LegacyStart,
  creator: TaskActor,
  overrideReason: string | undefined,
): Promise<{ owner: TaskOwner; taskId: number }> {
  const workflow = await findWorkflow(body.workflow_name);
  if (workflow === undefined) throw new ApiError(6542, `workflow ${body.workflow_name} does not exist`);
  const { projectKey } = workflow;
  const environment = await findWholeEnvironment(projectKey, body.env_name);
  if (environment === undefined)
    throw new ApiError(6160, `environment ${body.env_name} does not exist in project ${projectKey}`);
  const { production } = environment.environment;
  const targets = body.targets ?? [];
  const images = targets.length > 0 ? [] : (body.release_images ?? []);
  const names = [...targets.map(({ name }) => name), ...images.map(({ service_name }) => service_name)];
  await requireServices(projectKey, production ? "production" : "test", names);
  for (const image of images) await requireContainer(projectKey, body.env_name, image);
  const jobs = workflow.definition.stages.flatMap((stage) => stage.jobs);
  const inputs =
    images.length > 0
      ? imageInputs(jobs, body.env_name, images)
      : await targetInputs(jobs, projectKey, body.env_name, targets);
  if (inputs.length === 0)
    throw new ApiError(6160, `no job of workflow ${workflow.key} builds or deploys what is asked for`);
  const taskId = await startDefinition(
    workflow,
    () => openDefinition(workflow),
    { params: [], inputs, notifyInputs: [] },
    creator,
    { marking: () => [], overrideReason, legacy: (recordId) => legacyOf(recordId, body) },
  );
  return { owner: ownerOf(workflow), taskId };
}

async function legacyOf(recordId: string, { env_name, targets, callback }: LegacyStart): Promise<LegacyTask> {
  const own: LegacyTask = {
    envName: env_name,
    targets: (targets ?? []).map(({ name, service_type, build }) => ({
      ...{ name, serviceType: service_type },
      repos: build.repos.map(({ repo_name, branch, pr }) => ({ repoName: repo_name, branch, pr: pr ?? 0 })),
    })),
  };
  if (!callback) return own;
  const settings: LegacyCallbackSettings = {
    ...{ url: callback.callback_url, secret: callback.callback_secret ?? "" },
    vars: callback.callback_vars ?? null,
  };
  return { ...own, callback: await seal(JSON.stringify(settings), callbackOwner(recordId)) };
}

async function requireServices(
  projectKey: string,
  kind: "test" | "production",
  names: readonly string[],
): Promise<void> {
  const found = await findServices(projectKey, kind, names);
  const missing = names.filter((name) => !found.has(name));
  if (missing.length > 0)
    throw new ApiError(6083, `${kind} service ${missing.join(", ")} does not exist in project ${projectKey}`);
}

async function requireContainer(
  projectKey: string,
  envKey: string,
  { service_name: serviceName, service_module: containerName }: Image,
): Promise<void> {
  const service = await findEnvironmentService(projectKey, envKey, serviceName);
  if (service?.containers.some(({ name }) => name === containerName)) return;
  throw new ApiError(6168, `environment ${envKey} has no container ${containerName} of service ${serviceName}`, {
    extra: { productName: projectKey, envName: envKey, serviceName, containerName },
  });
}

/** Deploy jobs that take their images from the call. */
function imageInputs(jobs: readonly WorkflowJob[], env_name: string, images: readonly Image[]): JobInput[] {
  const service_list = images.map(({ image, service_name, service_module }) => ({
    ...{ service_name, service_module, image_name: image },
  }));
  return jobs
    .filter(({ type, spec }) => type === "zadig-deploy" && spec?.source !== "fromjob")
    .map(({ name }) => ({ jobName: name, parameters: { env_name, service_list } }));
}

/** Everything of the workflow but builds that were not asked for, and deployments of images that nothing built. */
async function targetInputs(
  jobs: readonly WorkflowJob[],
  projectKey: string,
  env_name: string,
  targets: readonly Target[],
): Promise<JobInput[]> {
  const summaries = jobs.some(({ type }) => type === "zadig-build") ? await builds.list(projectKey) : [];
  const inputs = await Promise.all(
    jobs.map(async (job): Promise<JobInput[]> => {
      const { name, type, spec, run_policy } = job;
      if (type === "zadig-build") {
        const service_list = (
          await Promise.all(targets.map((target) => moduleInputs(job, projectKey, target, summaries)))
        ).flat();
        return service_list.length === 0 ? [] : [{ jobName: name, parameters: { service_list } }];
      }
      if (type === "zadig-deploy")
        return spec?.source === "fromjob" ? [{ jobName: name, parameters: { env_name, service_list: [] } }] : [];
      return run_policy === "default_not_run" || run_policy === "skip" ? [] : [{ jobName: name, parameters: {} }];
    }),
  );
  const all = inputs.flat();
  const building = new Set(jobs.filter(({ type }) => type === "zadig-build").map(({ name }) => name));
  return all.some(({ jobName }) => building.has(jobName)) ? all : [];
}

/** The modules of a service that a build job builds, with the repositories as the target has them. */
async function moduleInputs(
  { spec }: WorkflowJob,
  projectKey: string,
  { name, build }: Target,
  summaries: readonly BuildSummary[],
): Promise<object[]> {
  const listed = ["service_and_builds", "service_and_builds_options", "default_service_and_builds"]
    .flatMap((list) => treesOf(spec?.[list]))
    .filter(({ service_name }) => service_name === name)
    .map(({ service_module, build_name, repos }) => ({
      ...{ module: String(service_module ?? ""), buildName: String(build_name ?? ""), repos: treesOf(repos) },
    }));
  const offered = summaries.flatMap((summary) =>
    summary.targets
      .filter(({ serviceName }) => serviceName === name)
      .map(({ serviceModule }) => ({ module: serviceModule, buildName: summary.name, repos: [] })),
  );
  const modules = [...new Map([...offered, ...listed].map((one) => [one.module, one])).values()];
  return Promise.all(
    modules.map(async ({ module, buildName, repos }) => ({
      ...{ service_name: name, service_module: module, ...(buildName !== "" && { build_name: buildName }) },
      repo_info: await repositories(
        repos.length > 0
          ? repos.map(placeOfTree)
          : await ownRepositories(
              projectKey,
              buildName || (offered.find((one) => one.module === module)?.buildName ?? ""),
              name,
              module,
            ),
        build.repos,
      ),
    })),
  );
}

interface Place {
  codeHostId: number;
  namespace: string;
  name: string;
}

function placeOfTree({ codehost_id, repo_namespace, repo_owner, repo_name }: Record<string, unknown>): Place {
  return {
    codeHostId: Number(codehost_id ?? 0),
    namespace: String(repo_namespace || repo_owner || ""),
    name: String(repo_name ?? ""),
  };
}

async function ownRepositories(
  projectKey: string,
  buildName: string,
  serviceName: string,
  serviceModule: string,
): Promise<Place[]> {
  const build = await findRunnableBuild(projectKey, buildName, { serviceName, serviceModule });
  return (build?.script.repositories ?? []).map(({ codeHostId, namespace, owner, name }) => ({
    ...{ codeHostId, namespace: namespace || owner, name },
  }));
}

/** Matched by name alone: the rest comes from the build; unknown names are ignored. */
async function repositories(configured: readonly Place[], asked: Target["build"]["repos"]): Promise<object[]> {
  const found = await Promise.all(
    asked.flatMap(({ repo_name, branch, pr }) => {
      const place = configured.find(({ name }) => name === repo_name);
      if (place === undefined) return [];
      return [
        codeHosts.find(String(place.codeHostId)).then((host) => {
          if (host === undefined) return [];
          const codehost_name = host.shown.alias;
          const number = pr ?? 0;
          return [
            {
              ...{ codehost_name, repo_namespace: place.namespace, repo_name, branch },
              ...{ pr: number, prs: number > 0 ? [number] : [] },
            },
          ];
        }),
      ];
    }),
  );
  return found.flat();
}
