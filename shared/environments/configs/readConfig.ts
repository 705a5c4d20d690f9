import { notFound } from "../../base/errors/apiError.ts";
import { withCallBudget } from "../../base/outbound/callBudget.ts";
import { isPullSecret } from "../../kube/apply/marks.ts";
import type { LiveObject } from "../../kube/client/ClusterClient.ts";
import { failingWith } from "../failures.ts";
import { silentSeconds } from "../limits.ts";
import { isReachable } from "../read/isReachable.ts";
import { type EnvironmentName, environmentMissing } from "../requireEnvironment.ts";
import { ownersOn } from "../resolveOwner.ts";
import type { ConfigType } from "../rules/configObject.ts";
import { type ConfigRecord, findConfig } from "../store/configRecords.ts";
import { type FollowedConfig, findFollowed } from "../store/followedConfigs.ts";
import { configOnCluster } from "./configOnCluster.ts";

/**
 * A configuration object as it is in the cluster now (contract P 7.3); never the pull secret (decisions 17.5).
 * @throws ApiError 404 unknown environment or object; 6094 when the cluster cannot be read
 */
export async function readConfig(
  at: EnvironmentName,
  type: ConfigType,
  name: string,
): Promise<{ live: LiveObject; record: ConfigRecord | undefined; followed: FollowedConfig | undefined }> {
  const missing = () => notFound(`${type} ${name} in the namespace of environment ${at.envKey}`);
  const config = { projectKey: at.projectKey, envKey: at.envKey, configType: type, name };
  const found = await findConfig(config, { consistent: false });
  if (found?.environment.production !== at.production) throw environmentMissing(at);
  if (isPullSecret({ kind: type, name })) throw missing();
  const followed = found.record?.autoSync === true ? await findFollowed(config) : undefined;
  const { live } = await failingWith(6094, () =>
    withCallBudget(silentSeconds, () => configOnCluster(found.environment, type, name)),
  );
  const { environment } = found;
  if (live === undefined) throw missing();
  if (!(await isReachable(environment, live.metadata.labels, ownersOn(environment.clusterId)))) throw missing();
  return { live, record: found.record?.deleted === true ? undefined : found.record, followed };
}
