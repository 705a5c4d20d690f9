import { withCallBudget } from "../../base/outbound/callBudget.ts";
import { isPullSecret } from "../../kube/apply/marks.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { failingWith } from "../failures.ts";
import { silentSeconds } from "../limits.ts";
import { isReachable } from "../read/isReachable.ts";
import { type EnvironmentName, environmentMissing } from "../requireEnvironment.ts";
import { ownersOn } from "../resolveOwner.ts";
import { type ConfigType, configKinds, configTypes } from "../rules/configObject.ts";
import { type ConfigRecord, findConfigs } from "../store/configRecords.ts";

export interface ListedConfig {
  type: ConfigType;
  name: string;
  /** Absent for an object that was never changed through the API. */
  record: ConfigRecord | undefined;
}

/**
 * Every object of the types in the environment's namespace that it reaches, by type and name (contract P 7.2, decisions
 * 17.4), but for the pull secret (17.5); one LIST a type, metadata alone. Absent type: all.
 * @throws ApiError 404 unknown environment; 6088 (ConfigMap) or 6094 when the cluster cannot be read
 */
export async function readConfigs(at: EnvironmentName, type: ConfigType | undefined): Promise<ListedConfig[]> {
  const found = await findConfigs(at.projectKey, at.envKey);
  if (found?.environment.production !== at.production) throw environmentMissing(at);
  const { environment } = found;
  const { namespace, clusterId } = environment;
  const resolveOwner = ownersOn(clusterId);
  const records = new Map(found.records.map((record) => [`${record.configType}/${record.name}`, record]));
  return failingWith(type === "ConfigMap" ? 6088 : 6094, async () => {
    const { client } = await openCluster(clusterId);
    const types = type === undefined ? configTypes : [type];
    const list = async (one: ConfigType) => {
      const { items } = await client.list(configKinds[one], { namespace, metadataOnly: true });
      const shown = items.filter(
        ({ metadata }) => !isBackup(metadata.labels) && !isPullSecret({ kind: one, ...metadata }),
      );
      const reached = await Promise.all(
        shown.map(({ metadata }) => isReachable(environment, metadata.labels, resolveOwner)),
      );
      const names = shown.filter((_, at) => reached[at]).map(({ metadata }) => metadata.name);
      return names.sort().map((name) => ({ type: one, name, record: records.get(`${one}/${name}`) }));
    };
    return (await withCallBudget(silentSeconds, () => Promise.all(types.map(list)))).flat();
  });
}

/** Copies that the platform made (contract P 7.2). */
function isBackup(labels: Readonly<Record<string, string>> | undefined): boolean {
  return labels !== undefined && Object.hasOwn(labels, "config-backup");
}
