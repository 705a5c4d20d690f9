import { openCluster } from "../../clusters/openCluster.ts";
import { mapBounded } from "../../common/mapBounded.ts";
import { serviceLabel } from "../../kube/marks.ts";
import { type ObjectPreview, objectPreview } from "../../kube/preview/objectPreview.ts";
import { activityOf, restOf, rests } from "../../kube/sleep/activity.ts";
import { toWake } from "../../kube/sleep/memory.ts";
import { readSleepable } from "../../kube/sleep/readSleepable.ts";
import { setActivity } from "../../kube/sleep/setActivity.ts";
import { EnvironmentProblem, failingWith } from "../failures.ts";
import { checkSeconds } from "../limits.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import { type SleepEvent, sleepRefusal } from "../rules/status.ts";
import { recall } from "../sleep/recall.ts";

const concurrency = 32;

/** The workloads that a sleep or a wake would change, from the API server's own dry run. @throws ApiError as the change itself */
export async function previewSleep(event: SleepEvent, name: EnvironmentName): Promise<ObjectPreview[]> {
  const { environment, services } = await requireEnvironment(name);
  return failingWith(6076, async () => {
    const refused = sleepRefusal(event, environment);
    if (refused !== undefined) throw new EnvironmentProblem(refused);
    const { client } = await openCluster(environment.clusterId);
    const call = { signal: AbortSignal.timeout(checkSeconds * 1000), deadlineSeconds: checkSeconds };
    const kinds = services.flatMap(({ workloads }) => workloads);
    const live = await readSleepable(client, environment, kinds, call);
    const changed =
      event === "wake"
        ? toWake(live, (await recall(name)) ?? [])
        : live.filter((object) => !rests(activityOf(object))).map((object) => ({ object, activity: restOf(object) }));
    return mapBounded(changed, concurrency, async ({ object, activity }) => {
      const after = await setActivity(client, object, activity, { dryRun: true, ...call });
      return objectPreview(object.metadata.labels?.[serviceLabel] ?? "", object, after);
    });
  });
}
