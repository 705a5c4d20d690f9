import { ApiError } from "../../base/errors/apiError.ts";
import { table } from "../../base/store/table.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import type { EnvironmentName } from "../requireEnvironment.ts";
import { requireEnvironment } from "../requireEnvironment.ts";
import { cancelPlan, findChange, findPlan } from "../store/changes.ts";

/**
 * Ends what Helm is busy with for a service, a hook that never ends for example: Helm is cut off within three seconds, and the
 * release goes back to its last version that worked; a first installation is uninstalled.
 * @throws ApiError 404 unknown environment; 6076 when no chart of that name is being deployed
 */
export async function cancelRelease(name: EnvironmentName, service: string, by: string): Promise<void> {
  const { environment } = await requireEnvironment(name);
  const { changeId } = environment;
  const [change, plan] = await Promise.all([findChange(changeId), findPlan(changeId, service)]);
  const isUnderWay = change?.status === "running" && plan?.release !== undefined && plan.result === undefined;
  if (isUnderWay && (await tryWrite(table().write(cancelPlan({ changeId, service, by }))))) return;
  throw new ApiError(
    6076,
    `no chart named ${service} is being deployed in environment ${name.envKey}, so there is nothing to cancel`,
  );
}
