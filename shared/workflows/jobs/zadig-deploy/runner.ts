import { applyDeploy } from "../../../environments/deploy/applyDeploy.ts";
import { concludeDeploy } from "../../../environments/deploy/concludeDeploy.ts";
import { failNewService } from "../../../environments/deploy/failNewService.ts";
import type { DeployRequest } from "../../../environments/deploy/planDeploy.ts";
import { findDeploy, type JobDeploy } from "../../../environments/store/jobDeploys.ts";
import type { ServiceContainer } from "../../../manifest/containers.ts";
import { findProject } from "../../../projects/store/projects.ts";
import { moduleOutput } from "../../records/rules/outputPath.ts";
import { tryName } from "../../records/rules/tryName.ts";
import type { JobEnd } from "../../records/task.ts";
import { awaitWorkloads, readinessOf, stopAwaiting } from "../readiness.ts";
import { failed, type JobRun, type JobRunner, passed, stopped } from "../runner.ts";
import type { DeployRun } from "./planner.ts";
import { shownDeploy } from "./shownDeploy.ts";

/** Renders a service with new images and variables, applies it, and waits until its workloads are ready (contract W 5). */
export const deployRunner: JobRunner = {
  begin: async (run) => {
    const refused = await refusal(run);
    if (refused !== undefined) return failed(refused);
    const deploy = await applyDeploy(tryName(run.job), requestOf(run));
    const result = await shownDeploy(run, deploy);
    if (deploy.error !== "") return failed(deploy.error, { result });
    const ready = settingsOf(run).skipsCheck || deploy.awaited.length === 0 ? "ready" : await readinessOf(run);
    if (ready !== undefined) return { ...(await conclude(run, deploy, ready)), result };
    await awaitWorkloads(run, deploy, deploy.awaited);
    return { waits: true, set: { result } };
  },
  finish: async (run, why) => {
    const deploy = await findDeploy(tryName(run.job));
    if (deploy === undefined) return why === "settled" ? failed("the deployment did not begin") : stopped(why);
    if (why === "settled") return conclude(run, deploy, (await readinessOf(run)) ?? failed("nobody saw it ready"));
    await stopAwaiting(run, deploy);
    return conclude(run, deploy, stopped(why));
  },
};

function settingsOf({ run }: JobRun): DeployRun {
  return run as unknown as DeployRun;
}

function requestOf(run: JobRun): DeployRequest {
  const { env, production, service, contents, modules, variables, updatesConfig } = settingsOf(run);
  const images = modules.filter(({ image }) => image !== "").map(({ module, image }) => ({ name: module, image }));
  const projectKey = run.task.owner.projectKey;
  return { projectKey, envKey: env, production, service, contents, images, variables, updatesConfig };
}

/** Why it cannot be deployed at all, told before anything is touched. */
async function refusal(run: JobRun): Promise<string | undefined> {
  const { env, contents, deployType, modules, imagesFrom, service } = settingsOf(run);
  const project = await findProject(run.task.owner.projectKey);
  if (deployType === "helm" || project?.projectType === "helm")
    return "services of Helm projects cannot be deployed by jobs yet";
  if (project?.projectType !== "yaml") return "only services of YAML projects can be deployed by jobs";
  if (env === "") return "no environment is named; send env_name, or configure env";
  const missing = modules.filter(({ image }) => image === "").map(({ module }) => `${service}/${module}`);
  if (!contents.includes("image")) return undefined;
  if (imagesFrom !== "" && missing.length > 0) return `job ${imagesFrom} gave no image for ${missing.join(", ")}`;
  if (contents.length === 1 && missing.length === modules.length) return `no image is named for service ${service}`;
  return undefined;
}

async function conclude(run: JobRun, deploy: JobDeploy, ready: "ready" | JobEnd): Promise<JobEnd> {
  if (ready !== "ready") {
    await failNewService(requestOf(run), deploy, ready.error || "the deployment was cancelled");
    return ready;
  }
  const { owner, taskId, creator } = run.task;
  await concludeDeploy(tryName(run.job), requestOf(run), {
    by: creator.name,
    task: { workflowKey: owner.key, taskId },
  });
  return passed({ outputs: outputsOf(deploy.plan.containers) });
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
