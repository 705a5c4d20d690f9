import * as z from "zod";
import { readStoredText, type StoredText, storeText } from "../../../shared/base/aws/objects/objectStore.ts";
import { isServiceTrouble } from "../../../shared/base/errors/serviceTrouble.ts";
import { deployJobService } from "../../../shared/environments/deploy/deployJobService.ts";
import { reasonOf } from "../../../shared/environments/failures.ts";
import { type ReleaseToAdopt, readRelease } from "../../../shared/environments/helm/adoptRelease.ts";
import { applyRelease } from "../../../shared/environments/helm/applyRelease.ts";
import { holdingRelease } from "../../../shared/environments/helm/releaseLease.ts";
import { type ReleasePlace, releaseProxy } from "../../../shared/environments/helm/releaseProxy.ts";
import { type ReleaseToRender, renderRelease } from "../../../shared/environments/helm/renderRelease.ts";
import { runTests } from "../../../shared/environments/helm/runTests.ts";
import { openCluster } from "../../../shared/kube/clusters/openCluster.ts";
import { ChartProblem } from "../../../shared/packaging/helm/chartProblem.ts";
import { readStoredChart } from "../../../shared/packaging/helm/chartStore.ts";
import { liveReleases } from "../../../shared/packaging/helm/liveReleases.ts";
import { failureWords } from "../../../shared/packaging/helm/rules/failureWords.ts";
import { runHelm } from "../../../shared/packaging/helm/runHelm.ts";
import { releaseValues, uninstallRelease } from "../../../shared/packaging/helm/upgradeRelease.ts";
import { findTask } from "../../../shared/workflows/records/findTasks.ts";

interface ChartToLint {
  chart: { digest: string };
  values: StoredText;
  release: string;
  /** Whether what came of it is kept. */
  keepsManifest?: boolean;
}

const lintSeconds = 20;

/**
 * Renders a chart without any cluster, as its schema and templates allow. What needs a cluster's own kinds or objects is
 * asked when it is deployed.
 * @returns its manifest, where it is kept
 * @throws ChartProblem telling which template is wrong
 */
async function lintChart({
  chart,
  values,
  release,
  keepsManifest = false,
}: ChartToLint): Promise<StoredText | undefined> {
  const [archive, text] = await Promise.all([readStoredChart(chart), readStoredText(values)]);
  const { code, stdout, stderr } = await runHelm({
    args: ["template", release, "chart.tgz", "--values", "values.yaml", "--skip-crds"],
    files: { "chart.tgz": archive, "values.yaml": text },
    seconds: lintSeconds,
  });
  if (code !== 0) throw new ChartProblem(failureWords(stderr));
  return keepsManifest ? storeText(stdout) : undefined;
}

const taskEvent = z.discriminatedUnion("task", [
  z.object({ task: z.literal("apply"), changeId: z.string(), service: z.string() }),
  z.object({ task: z.literal("test"), changeId: z.string() }),
  z.object({
    task: z.literal("deploy"),
    deploy: z.string(),
    ownerId: z.string(),
    taskId: z.int(),
    job: z.string(),
  }),
  z.object({ task: z.literal("lint"), asked: z.custom<ChartToLint>(isObject) }),
  z.object({ task: z.literal("render"), asked: z.custom<ReleaseToRender>(isObject) }),
  z.object({ task: z.literal("values"), asked: z.custom<ReleasePlace>(isObject) }),
  z.object({ task: z.literal("uninstall"), asked: z.custom<ReleasePlace>(isObject) }),
  z.object({ task: z.literal("standing"), asked: z.custom<ReleaseToAdopt>(isObject) }),
]);

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/**
 * Everything that Helm does, in the one function that has it (decisions 11.3). The caller gets the answer, the problem in
 * words for users, or what service fails; a step of a state machine has none, for it notes what became of it.
 */
export async function handler(event: unknown): Promise<unknown> {
  const task = taskEvent.parse(event);
  if (task.task === "apply") return applyRelease(task.changeId, task.service);
  if (task.task === "test") return runTests(task.changeId);
  if (task.task === "deploy") {
    const { deploy, ownerId, taskId } = task;
    return deployJobService(deploy, async () => (await findTask(ownerId, taskId))?.status === "cancelled");
  }
  try {
    return { answer: await answerTo(task) };
  } catch (error) {
    const problem = error instanceof ChartProblem ? error.message : reasonOf(error);
    if (problem !== undefined) return { problem };
    if (isServiceTrouble(error)) return { trouble: String(error) };
    throw error;
  }
}

function answerTo(task: Exclude<z.infer<typeof taskEvent>, { task: "apply" | "test" | "deploy" }>): Promise<unknown> {
  switch (task.task) {
    case "lint":
      return lintChart(task.asked);
    case "render":
      return renderRelease(task.asked);
    case "values":
      return readReleaseValues(task.asked);
    case "uninstall":
      return removeRelease(task.asked);
    case "standing":
      return readRelease(task.asked);
  }
}

/** Takes a release away, hooks included; one that is gone, or belongs to others, is left alone. @throws ChartProblem, ClusterError */
function removeRelease(place: ReleasePlace): Promise<void> {
  return holdingRelease(place, async () => {
    const { client } = await openCluster(place.clusterId);
    const live = await liveReleases(client, { namespace: place.namespace, release: place.service });
    if (!live.some(({ environmentId }) => environmentId === place.environmentId)) return;
    await uninstallRelease(releaseProxy(client, place, { take: false }), place.service);
  });
}

/** All values that a release was made with, as YAML. @throws ChartProblem, ClusterError */
async function readReleaseValues(place: ReleasePlace): Promise<string> {
  const { client } = await openCluster(place.clusterId);
  return releaseValues(releaseProxy(client, place, { take: false }), place.service);
}
