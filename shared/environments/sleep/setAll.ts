import { mapBounded } from "../../base/common/mapBounded.ts";
import { failureOf } from "../../kube/apply/applyResult.ts";
import type { ClusterClient, LiveObject } from "../../kube/client/ClusterClient.ts";
import type { Activity } from "../../kube/sleep/activity.ts";
import { setActivity } from "../../kube/sleep/setActivity.ts";
import { EnvironmentProblem } from "../failures.ts";

const atOnce = 32;

/** Sets every one of them, whatever becomes of the others. @throws EnvironmentProblem with all that was refused */
export async function setAll(
  client: ClusterClient,
  wanted: readonly { object: LiveObject; activity: Activity }[],
): Promise<void> {
  const problems = await mapBounded(wanted, atOnce, async ({ object, activity }) => {
    try {
      await setActivity(client, object, activity);
      return undefined;
    } catch (error) {
      return failureOf(error).message;
    }
  });
  const failed = problems.filter((problem) => problem !== undefined);
  if (failed.length > 0) throw new EnvironmentProblem(failed.join("; "));
}
