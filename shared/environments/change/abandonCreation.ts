import { withCallBudget } from "../../base/outbound/callBudget.ts";
import { log } from "../../base/settings/log.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed } from "../../base/store/tableClient.ts";
import { removePullSecret } from "../../kube/apply/pullSecret.ts";
import { removeUnusedNamespace } from "../../kube/apply/releaseNamespace.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { countOverview } from "../../reports/statistics/store/overview.ts";
import { reasonOf } from "../failures.ts";
import { checkSeconds } from "../limits.ts";
import { abandonChange, type Change, concludeChange, findChange } from "../store/changes.ts";
import { environmentsOnCluster, removeEnvironmentParts, removeEnvironmentWrites } from "../store/environments.ts";

/** The caller whose creation was refused is still waiting. */
const cleanUpSeconds = 4;

/**
 * Whether the request of a creation has ended without accepting it or taking it back: it was killed.
 * @param requestsEndedBefore no request that began before (Unix seconds) can still be under way
 */
export function isForgotten({ status, startedAt }: Change, requestsEndedBefore = 0): boolean {
  const isOpen = status === "checking" || status === "abandoning";
  return isOpen && startedAt < Math.max(requestsEndedBefore, nowSeconds() - 2 * checkSeconds);
}

/**
 * Takes back a creation that was not accepted (decisions 6.1): the record goes, and the namespace if this call made it
 * and nothing is in it. Done by the request itself, or by the reconciler when the request died.
 */
export async function abandonCreation(change: Change): Promise<void> {
  try {
    await table().write(abandonChange(change));
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    // It was accepted after all, or another process ended it: a deletion then did not see a namespace made after it.
    if ((await findChange(change.changeId))?.status === "failed") await takeNamespaceBack(change);
    return;
  }
  await takeNamespaceBack(change);
  await endCreation(change);
}

async function endCreation(change: Change): Promise<void> {
  const end = concludeChange(change, "failed", "the creation was not accepted");
  try {
    await removeEnvironmentParts(change);
    await table().write(...removeEnvironmentWrites(change), countOverview("environments", -1), ...end);
  } catch (error) {
    // A deletion took the environment over, or another one took it back: they end the change too.
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

async function takeNamespaceBack(change: Change): Promise<void> {
  try {
    const others = await environmentsOnCluster(change.clusterId, change.namespace);
    if (others.some(({ environmentId }) => environmentId !== change.environmentId)) return;
    const { client } = await openCluster(change.clusterId);
    await withCallBudget(cleanUpSeconds, async () => {
      const left = await removeUnusedNamespace(client, change.namespace, change.environmentId);
      if (left === "kept") await removePullSecret(client, change.namespace);
    });
  } catch (error) {
    if (reasonOf(error) === undefined) throw error;
    log.warn("namespace of a refused creation not removed", { changeId: change.changeId, internal: reasonOf(error) });
  }
}
