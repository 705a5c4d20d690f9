import { reasonOf } from "../../../environments/failures.ts";
import type { ClusterClient } from "../../../kube/client/ClusterClient.ts";
import { openCluster } from "../../../kube/clusters/openCluster.ts";
import { maskedValue } from "../../definition/script/keyVal.ts";
import { tryName } from "../../records/rules/tryName.ts";
import { type OwnNamespace, ownNamespace } from "../ownNamespace.ts";
import { failed, immediate, type JobRun, passed } from "../runner.ts";
import { type Mark, patchObject } from "./patchObject.ts";
import type { PatchRun } from "./planner.ts";

type Item = PatchRun["items"][number] & { mark: Mark };

/**
 * Patches objects in a namespace of the project's environments, one after another; the first one that is refused fails
 * the job, and those behind it are left alone (contract W 5, decisions 5.7).
 */
export const runner = immediate(async (run) => {
  const { clusterId, namespace, items } = run.run as unknown as PatchRun;
  const place = await ownNamespace(run.task.owner.projectKey, clusterId, namespace);
  const { client } = await openCluster(place.clusterId);
  for (const [position, item] of items.entries()) {
    const mark = { attempt: tryName(run.job), position };
    const error = masked(await patchOrReason(client, place, { ...item, mark }), run.secrets);
    if (error !== undefined)
      return failed(`${item.kind} "${item.name}": ${error}`, { result: noting(run, position, error) });
  }
  return passed({ result: noting(run, -1, "") });
});

async function patchOrReason(client: ClusterClient, place: OwnNamespace, item: Item): Promise<string | undefined> {
  try {
    await patchObject(client, place, item, item.mark);
    return undefined;
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    return reason;
  }
}

/** A cluster may repeat in its refusal what it was sent. */
function masked(error: string | undefined, secrets: readonly string[]): string | undefined {
  return secrets
    .filter((secret) => secret !== "")
    .reduce((text, secret) => text?.replaceAll(secret, maskedValue), error);
}

/** The items as they are shown, with the reason at the one that was refused. */
function noting({ spec }: JobRun, position: number, error: string): Record<string, unknown> {
  const items = Array.isArray(spec.patch_items) ? spec.patch_items : [];
  return { patch_items: items.map((item: object, at) => ({ ...item, error: at === position ? error : "" })) };
}
