import { applyDeploy } from "../../../environments/deploy/applyDeploy.ts";
import { concludeDeploy } from "../../../environments/deploy/concludeDeploy.ts";
import { failNewService } from "../../../environments/deploy/failNewService.ts";
import type { DeployRequest } from "../../../environments/deploy/planDeploy.ts";
import { settleRoutesOf } from "../../../environments/mesh/settleRoutes.ts";
import { findDeploy, type JobDeploy } from "../../../environments/store/jobDeploys.ts";
import type { PlanTask } from "../../../environments/store/plannedDeploys.ts";
import type { ServiceContainer } from "../../../manifest/containers.ts";
import { nowSeconds } from "../../../store/ids.ts";
import { moduleOutput } from "../../records/rules/outputPath.ts";
import { tryName } from "../../records/rules/tryName.ts";
import type { JobEnd } from "../../records/task.ts";
import { awaitWorkloads, readinessOf, stopAwaiting } from "../readiness.ts";
import { failed, type JobRun, type JobRunner, passed, stopped } from "../runner.ts";
import { deployRefusal, deployRequest, readDeployRequest } from "./deployRequest.ts";
import type { DeployRun } from "./planner.ts";
import { shownDeploy } from "./shownDeploy.ts";

/**
 * Renders a service with new images and variables, applies it, and waits until its workloads are ready (contract W 5). A
 * chart is brought in by Helm's function: the job begins before it, and again after it.
 */
export const deployRunner: JobRunner = {
  begin: async (run) => {
    const problem = await deployRefusal(run.task.owner.projectKey, settingsOf(run));
    if (problem !== undefined) return failed(problem);
    const { deadline } = run;
    const request = await readDeployRequest(run.task.owner.projectKey, settingsOf(run));
    const deploy = await applyDeploy(tryName(run.job), request, { planTask: planTaskOf(run), deadline });
    const result = await shownDeploy(run, deploy);
    if (deploy.ahead !== undefined) return { waits: true, goesOn: true, set: { result } };
    if (deploy.error !== "") return { ...(await conclude(run, deploy, refused(run, deploy))), result };
    const ready = skipsCheck(run, deploy) || deploy.awaited.length === 0 ? "ready" : await readinessOf(run);
    if (ready !== undefined) return { ...(await conclude(run, deploy, ready)), result };
    await awaitWorkloads(run, deploy, deploy.awaited);
    return { waits: true, set: { result } };
  },
  finish: async (run, why) => {
    const deploy = await findDeploy(tryName(run.job));
    if (deploy === undefined) return why === "settled" ? failed("the deployment did not begin") : stopped(why);
    if (why === "settled" && deploy.ahead !== undefined)
      return nowSeconds() < run.deadline ? { byHelm: tryName(run.job) } : conclude(run, deploy, stopped("timeout"));
    if (why === "settled")
      return conclude(
        run,
        deploy,
        (await readinessOf(run)) ?? failed("its readiness was not recorded; run the job again"),
      );
    await stopAwaiting(run, deploy);
    return conclude(run, deploy, stopped(why));
  },
};

function settingsOf({ run }: JobRun): DeployRun {
  return run as unknown as DeployRun;
}

function requestOf(run: JobRun): DeployRequest {
  return deployRequest(run.task.owner.projectKey, settingsOf(run));
}

/** What the cluster or Helm refused; a hook may have used up the job's time. */
function refused({ deadline }: JobRun, { error, plan }: JobDeploy): JobEnd {
  const isLate = plan.release !== undefined && nowSeconds() >= deadline;
  return isLate ? { ...failed(error), ending: "timeout" } : failed(error);
}

function skipsCheck(run: JobRun, { plan }: JobDeploy): boolean {
  const { skipsCheck: skips, skipsChartCheck } = settingsOf(run);
  return skips || (skipsChartCheck === true && plan.release !== undefined);
}

/** Set where a release plan started the task. */
function planTaskOf({ task: { releasePlan, owner, taskId } }: JobRun): PlanTask | undefined {
  return releasePlan && { planId: releasePlan.planId, workflowKey: owner.key, taskId };
}

async function conclude(run: JobRun, deploy: JobDeploy, ready: "ready" | JobEnd): Promise<JobEnd> {
  // Whatever became of the pods, the Services are there.
  const unrouted = await settleRoutesOf(requestOf(run));
  if (ready !== "ready") {
    await failNewService(requestOf(run), deploy, ready.error || "the deployment was cancelled");
    return ready;
  }
  const { owner, taskId, creator } = run.task;
  await concludeDeploy(tryName(run.job), requestOf(run), {
    by: creator.name,
    task: { workflowKey: owner.key, taskId },
  });
  return unrouted === undefined ? passed({ outputs: outputsOf(deploy.plan.containers) }) : failed(unrouted);
}

/** What later jobs can use of a deployed service: image and tag of each module (contract W 7). */
function outputsOf(containers: readonly ServiceContainer[]): Record<string, string> {
  return Object.fromEntries(
    containers.flatMap(({ name, image }) => [
      [moduleOutput(name, "IMAGE"), image],
      [moduleOutput(name, "imageTag"), imageTag(image)],
    ]),
  );
}

/** The tag of an image reference, empty when it names none: `reg.io:5000/ns/app:v1@sha256:…` gives `v1`. */
function imageTag(reference: string): string {
  const [untagged = ""] = reference.split("@");
  const [, tag = ""] = untagged.slice(untagged.lastIndexOf("/") + 1).split(":");
  return tag;
}
