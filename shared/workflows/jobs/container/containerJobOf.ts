import { load } from "js-yaml";
import { taskUrl } from "../../../integrations/notify/taskUrl.ts";
import type { ClusterRecord } from "../../../kube/clusters/store/clusters.ts";
import { strategiesOf } from "../../../kube/clusters/strategies.ts";
import type { ContainerJob, ContainerStep, EnvironmentVariable, PodPlacement } from "../../pods/rules/containerJob.ts";
import { commonVariables, type JobVariables, repositoryVariables } from "../../pods/rules/jobVariables.ts";
import type { Task } from "../../records/task.ts";
import type { JobRun } from "../runner.ts";
import type { ContainerRun, RunVariable } from "./containerRun.ts";
import { gitStep } from "./gitStep.ts";
import { refOf } from "./jobPlaces.ts";
import { loginsFor, registriesOfJob } from "./jobRegistries.ts";
import { jobCache, jobVolumes } from "./jobVolumes.ts";
import { requirePlaceFor } from "./settings.ts";

/** What a kind of job adds to what all have in common. */
export interface JobContent {
  /** After the clone, in order. */
  steps: readonly ContainerStep[];
  /** Beside the plan's facts; a variable of the job itself wins. */
  variables?: JobVariables;
  reportDirectory?: string;
  /** Id of the registry that its image is pushed to. */
  pushesTo?: string;
}

/** The job as it is started: placed, with its variables and with the credentials that it needs (contract W 11). */
export async function containerJobOf(
  jobRun: JobRun,
  { steps, variables, reportDirectory, pushesTo }: JobContent,
): Promise<ContainerJob> {
  const { task, job, plan, secrets } = jobRun;
  const run = jobRun.run as unknown as ContainerRun;
  const { settings, repositories } = run;
  const ref = refOf(jobRun);
  const cluster = await requirePlaceFor(task.owner.projectKey, `job ${plan.originName}`, settings);
  const images = steps.flatMap((step) => ("image" in step ? [step.image] : []));
  return {
    ...ref,
    jobTaskName: job.name,
    jobType: plan.type,
    steps: [...(await gitStep(repositories)), ...steps],
    ...environmentOf(variablesOf(jobRun, variables), secrets),
    masks: secrets,
    outputs: run.outputs,
    ...(reportDirectory !== undefined && { reportDirectory }),
    timeoutMinutes: Math.ceil(plan.timeoutSeconds / 60),
    resources: settings.resources,
    placement: placementOf(cluster, settings.strategyId),
    labels: settings.labels,
    annotations: settings.annotations,
    volumes: jobVolumes(run, task, ref.name),
    ...jobCache(run, task),
    ignoreCache: run.ignoreCache,
    privileged: settings.privileged,
    hostDocker: settings.hostDocker,
    registries: await loginsFor(images, await registriesOfJob(task.owner.projectKey, pushesTo)),
  };
}

/** Every variable of a job, in rising order of what counts; `more` is what its kind adds to the plan's facts. */
export function variablesOf(jobRun: Pick<JobRun, "task" | "run">, more?: JobVariables): RunVariable[] {
  const run = jobRun.run as unknown as ContainerRun;
  return [...plain(commonOf(jobRun.task)), ...plain(ofRepositories(run)), ...given(run, more)];
}

function commonOf({ owner, taskId }: Task): EnvironmentVariable[] {
  const { projectKey: project, key: workflow } = owner;
  return commonVariables({ project, workflow, taskId, taskUrl: taskUrl(owner, taskId) });
}

function ofRepositories({ repositories }: ContainerRun): EnvironmentVariable[] {
  return repositoryVariables(
    repositories.map(({ name, owner, ...revision }) => ({
      ...revision,
      ...{ repoName: name, repoOwner: owner },
    })),
  );
}

function given({ facts, variables }: ContainerRun, more: JobVariables = { env: [], secretEnv: [] }): RunVariable[] {
  const secret = more.secretEnv.map((one) => ({ ...one, isCredential: true }));
  return [...plain(facts), ...plain(more.env), ...secret, ...variables];
}

function plain(variables: readonly EnvironmentVariable[]): RunVariable[] {
  return variables.map((one) => ({ ...one, isCredential: false }));
}

/** The last one of a name counts. Whatever holds a credential, alone or in a longer text, goes into the Secret. */
function environmentOf(variables: readonly RunVariable[], secrets: readonly string[]): JobVariables {
  const last = [...new Map(variables.map((one) => [one.name, one])).values()];
  const isSecret = ({ value, isCredential }: RunVariable) =>
    isCredential || secrets.some((secret) => secret !== "" && value.includes(secret));
  const pairs = (list: RunVariable[]) => list.map(({ name, value }) => ({ name, value }));
  return {
    env: pairs(last.filter((one) => !isSecret(one))),
    secretEnv: pairs(last.filter((one) => isSecret(one) && one.value !== "")),
  };
}

/** Where jobs of a strategy may run: by the strategy with that id, else by the cluster's default (contract W 10.1). */
function placementOf(cluster: Pick<ClusterRecord, "clusterId" | "strategies">, strategyId: string): PodPlacement {
  const all = strategiesOf(cluster);
  const chosen = all.find((strategy) => strategy.strategyId === strategyId) ?? all.find(({ isDefault }) => isDefault);
  if (chosen === undefined) return { nodeLabels: [], strategy: "normal", tolerations: [] };
  // Checked when the strategy was saved.
  const tolerations: unknown = chosen.tolerations.trim() === "" ? [] : load(chosen.tolerations);
  return {
    nodeLabels: chosen.nodeLabels,
    strategy: chosen.strategy,
    tolerations: Array.isArray(tolerations) ? tolerations : [],
  };
}
