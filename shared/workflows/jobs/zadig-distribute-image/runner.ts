import { nowSeconds } from "../../../base/store/ids.ts";
import { runCopies } from "../../../packaging/images/copy/copyRun.ts";
import type { ImageCopier, ImageCopy } from "../../../packaging/images/copy/imageCopier.ts";
import { uploadNotesOf } from "../../../packaging/images/copy/storedUploadNotes.ts";
import { type ImagePlaces, openImagePlaces } from "../../../packaging/images/imagePlaces.ts";
import { findTask } from "../../records/findTasks.ts";
import { moduleOutput } from "../../records/rules/outputPath.ts";
import type { JobEnd } from "../../records/task.ts";
import { failed, type JobRun, type JobRunner, type NotYet, passed, stopped } from "../runner.ts";
import type { DistributeRun } from "./planner.ts";
import { preparedImages } from "./preparedImages.ts";
import { type CopiedImage, DistributeProgress } from "./progress.ts";

const stalled = "no registry confirmed anything for too long; run the job again, it goes on from there";
/** The next call begins at once: the function's time alone was up. */
const nextCallSeconds = 1;
const mostProblems = 5;

/**
 * Copies images from registry to registry (contract W 5, decisions 14). The last step does all of it, and is called
 * again when it lasts longer than a function may: no later call sends again what a registry has confirmed.
 */
export const runner: JobRunner = {
  begin: async (run) => {
    const images = await preparedImages(settingsOf(run));
    if ("problems" in images) return failed(joined(images.problems));
    return { waits: true, goesOn: true, set: { result: new DistributeProgress(run, images).result() } };
  },
  finish: async (run, why) => {
    const images = await preparedImages(settingsOf(run));
    if ("problems" in images) return why === "settled" ? failed(joined(images.problems)) : stopped(why);
    const progress = new DistributeProgress(run, images);
    const outcome = why === "settled" ? await copy(run, progress) : stopped(why);
    if ("notYet" in outcome) return outcome;
    for (const image of progress.images)
      if (image.status === "running" && outcome.ending !== "passed")
        progress.change(image, { status: outcome.ending === "timeout" ? "timeout" : "cancelled" });
    if (outcome.error !== "") progress.say(outcome.error);
    await progress.storeLog();
    return { ...outcome, outputs: outputsOf(progress), result: progress.result() };
  },
};

function settingsOf({ run }: JobRun): DistributeRun {
  return run as unknown as DistributeRun;
}

async function copy(run: JobRun, progress: DistributeProgress): Promise<JobEnd | NotYet> {
  const places = openImagePlaces();
  const end = await runCopies<CopiedImage>({
    tasks: progress.images.filter(({ status }) => status === "" || status === "running"),
    copyOf: (image, copier) => copyOf(run, progress, places, image, copier),
    notes: uploadNotesOf(run.job.jobId),
    ...{ startedAt: run.job.startTime, progressAt: progress.progressAt, deadline: run.deadline },
    begins: async (image) => progress.change(image, { status: "running" }),
    ends: async (image, { state, digest, problem }) => {
      progress.change(image, { status: state, error: problem, ...(digest !== "" && { digest }) });
      progress.say(`${image.targetImage}: ${state === "passed" ? `is there, ${digest}` : problem}`);
    },
    moves: async (progressAt) => {
      progress.moved(progressAt);
      await progress.keep();
    },
    isWanted: async () => (await isWanted(run)) && progress.keep(),
  });
  if (end === "done") return concluded(progress);
  if (end === "unwanted") return stopped("cancelled");
  if (end === "timeout")
    return nowSeconds() >= run.deadline ? stopped("timeout") : { ...stopped("timeout"), error: stalled };
  return (await progress.keep()) ? { notYet: true, seconds: nextCallSeconds } : stopped("cancelled");
}

/** Its digest is fixed before anything is copied, so that later calls copy the same. */
async function copyOf(
  run: JobRun,
  progress: DistributeProgress,
  places: ImagePlaces,
  image: CopiedImage,
  copier: ImageCopier,
): Promise<ImageCopy> {
  const { platforms, targetRegistryId } = settingsOf(run);
  const from = await places.placeOf(image.sourceImage, image.sourceRegistryId);
  const begun = image.digest !== "" || run.job.retryCount > 0 || run.task.retryNum > 0;
  if (image.digest === "") {
    const { digest } = await copier.resolve(from);
    progress.change(image, { digest });
    progress.say(`copying ${image.sourceImage} (${digest}) to ${image.targetImage}`);
  }
  return {
    ...{ id: image.targetImage, begun },
    from: { ...from, reference: image.digest },
    to: await places.placeOf(image.targetImage, targetRegistryId),
    ...(platforms.length > 0 && { platforms }),
  };
}

/** Whether the copies are still wanted: the task was neither cancelled nor started again meanwhile. */
async function isWanted({ task }: JobRun): Promise<boolean> {
  const now = await findTask(task.owner.id, task.taskId);
  return now !== undefined && now.status !== "cancelled" && now.retryNum === task.retryNum;
}

function concluded({ images }: DistributeProgress): JobEnd {
  const bad = images.filter(({ status }) => status !== "passed");
  if (bad.length === 0) return passed();
  const problems = bad.map(({ service, module, error }) => `${service}/${module}: ${error}`);
  return failed(`${bad.length} of ${images.length} images were not copied: ${joined(problems)}`);
}

function joined(problems: readonly string[]): string {
  const more = problems.length - mostProblems;
  return `${problems.slice(0, mostProblems).join("; ")}${more > 0 ? `; and ${more} more, see the log` : ""}`;
}

/** What later jobs can use: image and tag of each module that was copied (contract W 7). */
function outputsOf({ images }: DistributeProgress): Record<string, string> {
  return Object.fromEntries(
    images
      .filter(({ status }) => status === "passed")
      .flatMap(({ service, module, targetImage, targetTag }) => [
        [moduleOutput(`${service}.${module}`, "IMAGE"), targetImage],
        [moduleOutput(`${service}.${module}`, "imageTag"), targetTag],
      ]),
  );
}
