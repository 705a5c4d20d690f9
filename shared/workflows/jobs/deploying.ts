import { nowSeconds } from "../../base/store/ids.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed } from "../../base/store/tableClient.ts";
import { applyDeploy } from "../../environments/deploy/applyDeploy.ts";
import { concludeDeploy } from "../../environments/deploy/concludeDeploy.ts";
import type { DeployRequest } from "../../environments/deploy/planDeploy.ts";
import { settleRoutesOf } from "../../environments/mesh/settleRoutes.ts";
import type { EnvironmentName } from "../../environments/requireEnvironment.ts";
import { failPlacedService } from "../../environments/store/deployedServices.ts";
import { findDeploy, type JobDeploy } from "../../environments/store/jobDeploys.ts";
import type { PlanTask } from "../../environments/store/plannedDeploys.ts";
import { tryName } from "../records/rules/tryName.ts";
import type { JobEnd } from "../records/task.ts";
import { awaitWorkloads, readinessOf, stopAwaiting } from "./readiness.ts";
import { type ByHelm, failed, type JobRun, passed, stopped, type Waiting, type WhyFinished } from "./runner.ts";

/** One service that a job deploys into an environment. */
export interface Deploying {
  request: DeployRequest;
  /** Whether it is finished once the cluster has accepted everything. */
  skipsCheck(deploy: JobDeploy): boolean;
  /** What is shown of the job beside what was planned. */
  shown?(deploy: JobDeploy): Promise<Record<string, unknown>>;
  /** What later jobs can use. */
  outputs?(deploy: JobDeploy): Record<string, string>;
}

/**
 * Renders a service, applies it, and waits until its workloads are ready (contract W 5). A chart is brought in by Helm's
 * function: this is called before it, and again after it. Repeating it does nothing twice.
 * @throws as `applyDeploy`
 */
export async function startDeploying(run: JobRun, deploying: Deploying): Promise<JobEnd | Waiting> {
  const { request, skipsCheck, shown } = deploying;
  const { deadline } = run;
  const deploy = await applyDeploy(tryName(run.job), request, { planTask: planTaskOf(run), deadline });
  const result = await shown?.(deploy);
  const set = result === undefined ? {} : { set: { result } };
  const ended = (end: JobEnd): JobEnd => (result === undefined ? end : { ...end, result });
  if (deploy.ahead !== undefined) return { waits: true, goesOn: true, ...set };
  if (deploy.error !== "") return ended(await conclude(run, deploying, deploy, refused(run, deploy)));
  const ready = skipsCheck(deploy) || deploy.awaited.length === 0 ? "ready" : await readinessOf(run);
  if (ready !== undefined) return ended(await conclude(run, deploying, deploy, ready));
  return { ...awaitWorkloads(run, deploy, deploy.awaited), ...set };
}

/** Ends what `startDeploying` began, or says that Helm is next. */
export async function finishDeploying(run: JobRun, why: WhyFinished, deploying: Deploying): Promise<JobEnd | ByHelm> {
  const deploy = await findDeploy(tryName(run.job));
  if (deploy === undefined) return why === "settled" ? failed("the deployment did not begin") : stopped(why);
  if (why === "settled" && deploy.ahead !== undefined)
    return nowSeconds() < run.deadline
      ? { byHelm: tryName(run.job) }
      : conclude(run, deploying, deploy, stopped("timeout"));
  if (why === "settled")
    return conclude(
      run,
      deploying,
      deploy,
      (await readinessOf(run)) ?? failed("its readiness was not recorded; run the job again"),
    );
  await stopAwaiting(run, deploy);
  return conclude(run, deploying, deploy, stopped(why));
}

/** What the cluster or Helm refused; a hook may have used up the job's time. */
function refused({ deadline }: JobRun, { error, plan }: JobDeploy): JobEnd {
  const isLate = plan.release !== undefined && nowSeconds() >= deadline;
  return isLate ? { ...failed(error), ending: "timeout" } : failed(error);
}

/** Set where a release plan started the task. */
function planTaskOf({ task: { releasePlan, owner, taskId } }: JobRun): PlanTask | undefined {
  return releasePlan && { planId: releasePlan.planId, workflowKey: owner.key, taskId };
}

async function conclude(
  run: JobRun,
  { request, outputs }: Deploying,
  deploy: JobDeploy,
  ready: "ready" | JobEnd,
): Promise<JobEnd> {
  // Whatever became of the pods, the Services are there.
  const unrouted = await settleRoutesOf(request);
  if (ready !== "ready") {
    await failNewService(request, deploy, ready.error || "the deployment was cancelled");
    return ready;
  }
  const { owner, taskId, creator } = run.task;
  await concludeDeploy(tryName(run.job), request, {
    by: creator.name,
    task: { workflowKey: owner.key, taskId },
  });
  return unrouted === undefined ? passed({ ...(outputs && { outputs: outputs(deploy) }) }) : failed(unrouted);
}

/** A service that a failed deployment brought into the environment says why; one that was there before stays as it was. */
async function failNewService(
  { projectKey, envKey }: EnvironmentName,
  { plan, originRevision }: JobDeploy,
  error: string,
): Promise<void> {
  if (originRevision !== 0) return;
  try {
    await table().write(failPlacedService({ projectKey, envKey }, plan.name, plan.revision, error));
  } catch (failure) {
    // It was removed or changed meanwhile.
    if (!(failure instanceof ConditionFailed)) throw failure;
  }
}
