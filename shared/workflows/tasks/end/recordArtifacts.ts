import { log } from "../../../base/settings/log.ts";
import { digestId } from "../../../base/store/ids.ts";
import { taskUrl } from "../../../integrations/notify/taskUrl.ts";
import { imageName } from "../../../manifest/containers.ts";
import { imageNames, imageParts } from "../../../manifest/imageParts.ts";
import { describeImage } from "../../../packaging/artifacts/describeImage.ts";
import type { Activity, Artifact } from "../../../packaging/artifacts/rules/artifact.ts";
import { addActivity, createArtifact, newestArtifactId } from "../../../packaging/artifacts/store/artifacts.ts";
import { archivePrefix, fileName } from "../../jobs/container/archivePrefix.ts";
import { lateVariables } from "../../jobs/variables/lateVariables.ts";
import { jobOf } from "../../records/currentState.ts";
import { findWholeTask, type WholeTask } from "../../records/findTasks.ts";
import { renderLate } from "../../records/rules/variables.ts";
import type { JobPlan, JobRecord } from "../../records/task.ts";
import { commitsOf } from "./artifactCommits.ts";

interface EndedJob {
  plan: JobPlan;
  job: JobRecord;
}

const deploys: ReadonlySet<string> = new Set(["zadig-deploy", "zadig-helm-deploy"]);
const noteworthy = ["zadig-build", "zadig-test", "zadig-deploy", "zadig-helm-deploy", "custom-deploy"];

/**
 * Notes what the end of a job means for artifacts (contract D 3.4): a passed build or kept file makes one, a test or a
 * deployment is an activity of those that it is about. It reads the task after the end was written, so that of two jobs
 * that end at the same moment one sees both. May be repeated, as when the job is finished again.
 * @returns ids of new images, whose registry is to be asked
 */
export async function recordArtifacts({ task }: WholeTask, ended: JobRecord): Promise<string[]> {
  const whole = await findWholeTask(task.owner.id, task.taskId);
  const all = whole === undefined ? [] : endedJobs(whole);
  const one = all.find(({ job }) => job.name === ended.name);
  if (whole === undefined || one === undefined) return [];
  switch (one.plan.type) {
    case "zadig-build":
      return noteBuild(whole, one, all);
    case "freestyle":
      return noteFiles(whole, one);
    case "zadig-test": {
      const images = all.map(builtImage).filter((image) => image !== "");
      const tested = images.length > 0 ? images : all.flatMap(deployedImages);
      await addToImages(tested, testActivity(whole, one));
      return [];
    }
    default:
      await addToImages(deployedImages(one), deployActivity(whole, one));
      return [];
  }
}

/** Whether `recordArtifacts` has anything to do: most jobs end without a look. */
export function concernsArtifacts({ plan }: WholeTask, { name, status }: JobRecord): boolean {
  const { type = "", run = {} } = plan.stages.flatMap(({ jobs }) => jobs).find((one) => one.name === name) ?? {};
  const keepsFiles = type === "freestyle" && Array.isArray(run.uploads) && run.uploads.length > 0;
  if (!noteworthy.includes(type) && !keepsFiles) return false;
  return status === "passed" || (type === "zadig-test" && testedStatuses.includes(status));
}

/** A test that failed says something of an image too; one that was stopped does not. */
const testedStatuses = ["passed", "failed", "unstable"];

/** Asks the registries of new images; whatever fails is asked again by the reconciler. */
export async function describeImages(artifactIds: readonly string[]): Promise<void> {
  for (const artifactId of artifactIds) {
    try {
      await describeImage(artifactId);
    } catch (error) {
      log.error("image not described", { artifactId, internal: String(error) });
    }
  }
}

function endedJobs(whole: WholeTask): EndedJob[] {
  return whole.plan.stages.flatMap(({ jobs }) =>
    jobs.flatMap((plan) => {
      const job = jobOf(whole, plan.name);
      return job !== undefined && concernsArtifacts(whole, job) ? [{ plan, job }] : [];
    }),
  );
}

async function noteBuild(whole: WholeTask, built: EndedJob, all: readonly EndedJob[]): Promise<string[]> {
  const image = builtImage(built);
  if (image === "") return [];
  const { tag, digest } = imageParts(image);
  const artifact = await newArtifact(whole, built, image, {
    ...{ type: "image", name: imageName(image), image, imageTag: tag || digest },
  });
  await createArtifact(artifact, String(built.plan.run.registryId ?? ""));
  for (const one of all)
    if (one.plan.type === "zadig-test") await addActivity(artifact.artifactId, testActivity(whole, one)(image));
  return [artifact.artifactId];
}

/** Files that a script kept in the object store. */
async function noteFiles(whole: WholeTask, kept: EndedJob): Promise<string[]> {
  const uploads = renderLate(kept.plan.run.uploads ?? [], lateVariables(whole)) as { path: string; name: string }[];
  const { service_name = "", service_module = "" } = kept.plan.jobInfo;
  const name = service_name === "" ? kept.plan.displayName : `${service_module}_${service_name}`;
  for (const upload of uploads) {
    const file = fileName(upload.name);
    const last = file.slice(file.lastIndexOf("/") + 1);
    const artifact = await newArtifact(whole, kept, file, {
      ...{ type: "file", name, image: last, imageTag: last },
      packageFileLocation: upload.path,
      packageStorageUri: `${archivePrefix({ task: whole.task, job: kept.job })}${file}`,
    });
    await createArtifact(artifact, "");
  }
  return [];
}

async function newArtifact(
  whole: WholeTask,
  ended: EndedJob,
  what: string,
  set: Pick<Artifact, "type" | "name" | "image" | "imageTag"> & Partial<Artifact>,
): Promise<Artifact> {
  const { owner, creator } = whole.task;
  const commits = await commitsOf(ended);
  const build: Activity = { ...activityOf(whole, ended, "build")(what), commits };
  return {
    artifactId: idOf(ended, what),
    ...{ source: "workflow_v4", imageDigest: "", imageSize: 0, architecture: "", os: "" },
    ...{ packageFileLocation: "", packageStorageUri: "" },
    ...{ projectKey: owner.projectKey, createdBy: creator.name, createdTime: ended.job.endTime },
    activities: [build],
    ...set,
  };
}

async function addToImages(images: readonly string[], activity: (image: string) => Activity): Promise<void> {
  for (const image of new Set(images)) {
    const artifactId = await artifactOf(image);
    if (artifactId !== undefined) await addActivity(artifactId, activity(image));
  }
}

async function artifactOf(image: string): Promise<string | undefined> {
  for (const name of imageNames(image)) {
    const found = await newestArtifactId(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Of a build that passed; empty for anything else. */
function builtImage({ plan, job }: EndedJob): string {
  return plan.type === "zadig-build" && typeof job.result.image === "string" ? job.result.image : "";
}

function deployedImages({ plan, job }: EndedJob): string[] {
  if (plan.type === "custom-deploy") return typeof plan.spec.image === "string" ? [plan.spec.image] : [];
  const modules = deploys.has(plan.type) ? (job.result.service_and_images ?? plan.spec.service_and_images) : [];
  if (!Array.isArray(modules)) return [];
  return modules.flatMap(({ image }: { image?: unknown }) =>
    typeof image === "string" && image !== "" ? [image] : [],
  );
}

function testActivity(whole: WholeTask, tested: EndedJob): (image: string) => Activity {
  const { test_case_num: cases, success_case_num: passed } = tested.job.result;
  const { test_name } = tested.plan.spec;
  const counted = typeof cases === "number" ? `, ${String(passed)} of ${cases} cases passed` : "";
  const content = `${String(test_name ?? tested.plan.displayName)}: ${tested.job.status}${counted}`;
  return (image) => ({ ...activityOf(whole, tested, "test")(image), content });
}

function deployActivity(whole: WholeTask, deployed: EndedJob): (image: string) => Activity {
  const { plan, job } = deployed;
  const envName = String(job.result.env ?? plan.spec.env ?? "");
  const namespace = String(plan.spec.namespace ?? "");
  return (image) => ({ ...activityOf(whole, deployed, "deploy")(image), envName, namespace });
}

function activityOf({ task }: WholeTask, ended: EndedJob, type: string): (image: string) => Activity {
  const { owner, taskId, creator, startTime, releasePlan } = task;
  const { name, endTime } = ended.job;
  return (image) => ({
    activityId: idOf(ended, `${type} ${image}`),
    ...{ type, url: taskUrl(owner, taskId), content: "", commits: [], jobTaskName: name, issues: [] },
    ...{ namespace: "", envName: "", publishHosts: [], publishNamespaces: [], remoteFileKey: "" },
    ...{ distStorageUrl: "", srcStorageUrl: "", startTime, endTime, createdBy: creator.name, createdTime: endTime },
    task: { projectKey: owner.projectKey, workflowKey: owner.key, taskId },
    ...(releasePlan && { releasePlan: named(releasePlan) }),
  });
}

function named({ planId, name, index }: { planId: string; name: string; index: number }) {
  return { planId, name, index };
}

/** The same for the same end of the same job, however often it is noted. */
function idOf({ job: { jobId, retryNum, endTime } }: EndedJob, what: string): string {
  return digestId(`${jobId}#${retryNum}#${what}`, endTime);
}
