import { mapBounded } from "../common/mapBounded.ts";
import type { LiveObject } from "../kube/client/ClusterClient.ts";
import { environmentLabel } from "../kube/marks.ts";
import { restartWorkload } from "../kube/restartWorkload.ts";
import { at, podSpecPath } from "../manifest/workloads.ts";
import type { ConfigSeen } from "./changeConfig.ts";
import { EnvironmentProblem } from "./failures.ts";
import type { ConfigType } from "./rules/configObject.ts";
import { refersToConfig } from "./rules/refersToConfig.ts";

const restartedKinds = ["Deployment", "StatefulSet", "DaemonSet"].map((kind) => ({ apiVersion: "apps/v1", kind }));

/**
 * Restarts the workloads of an environment whose pods read the object (contract P 7.4): pods take over a changed variable
 * only when they start. Every one is tried. @throws EnvironmentProblem naming those that could not be restarted
 */
export async function restartReferring(config: ConfigSeen, type: ConfigType, name: string): Promise<void> {
  const referring = await findReferring(config, type, name);
  const now = new Date().toISOString();
  const problems = await mapBounded(referring, 16, (object) => restartWorkload(config.client, object, now));
  const failed = problems.filter((problem) => problem !== undefined);
  if (failed.length > 0)
    throw new EnvironmentProblem(`${type} ${name} was changed, but these were not restarted: ${failed.join("; ")}`);
}

/** The workloads of the environment whose pods read the object. @throws ClusterError */
export async function findReferring(
  { client, call, environment: { environmentId, namespace } }: ConfigSeen,
  type: ConfigType,
  name: string,
): Promise<LiveObject[]> {
  if (type === "Ingress") return [];
  const query = { namespace, labelSelector: `${environmentLabel}=${environmentId}`, ...call };
  const lists = await Promise.all(restartedKinds.map((kind) => client.list(kind, query)));
  return lists
    .flatMap(({ items }) => items)
    .filter((object) => refersToConfig(at(object, podSpecPath(object.kind) ?? []), type, name));
}
