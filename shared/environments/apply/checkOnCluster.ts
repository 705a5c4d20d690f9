import { ApiError } from "../../base/errors/apiError.ts";
import { checkOwnership } from "../../kube/apply/checkOwnership.ts";
import { ensureNamespace, findNamespace } from "../../kube/apply/ensureNamespace.ts";
import { leavesWith } from "../../kube/apply/leavesWith.ts";
import { type PreparedObject, prepareObjects } from "../../kube/apply/prepareObjects.ts";
import type { CallOptions, ClusterClient, LiveObject } from "../../kube/client/ClusterClient.ts";
import { ClusterUnreachable } from "../../kube/client/errors.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { reportClusterStatus } from "../../kube/clusters/reportClusterStatus.ts";
import { readLive } from "../../kube/live/readLive.ts";
import { injects } from "../../kube/mesh/injection.ts";
import { meshKindsOf } from "../../kube/mesh/meshKinds.ts";
import { podSecurityProblem } from "../../kube/podSecurity/podSecurityProblem.ts";
import type { PodSecurityLevel } from "../../kube/podSecurity/podViolations.ts";
import { readClusterFacts } from "../../kube/readClusterFacts.ts";
import { clusterScopedOwnersOf } from "../clusterObjects/clusterScopedOwnersOf.ts";
import { configObjects } from "../configs/applyConfigs.ts";
import { sentConfigObject } from "../configs/sentConfigObject.ts";
import { EnvironmentProblem } from "../failures.ts";
import { checkSeconds } from "../limits.ts";
import { noMesh } from "../mesh/syncRoutes.ts";
import type { RenderedPlan } from "../plan/planServices.ts";
import { ownersOn } from "../resolveOwner.ts";
import type { Change } from "../store/changes.ts";
import { applyScope } from "./applyScope.ts";
import { checkForeignFields, readForeign } from "./checkForeignFields.ts";
import { forces } from "./forces.ts";
import { writePullSecret } from "./writePullSecret.ts";

/**
 * What a change asks of its cluster before it is accepted: namespace, pull secret, dry run of the configuration, and that
 * no one else owns an object or a field of it (contract P 4.3 steps 4 to 8, decisions 5.6). At most 20 seconds in all.
 * @throws EnvironmentProblem, ApiError 6045 for objects that may not be applied, ClusterError
 */
export async function checkOnCluster(asked: {
  change: Change;
  registryId: string;
  plans: readonly RenderedPlan[];
  configs: readonly { yamlData: string }[];
  /** Looks at the namespace before anything is written there. */
  admit?: (namespace: LiveObject) => Promise<void>;
}): Promise<void> {
  const { change, plans, configs } = asked;
  const { client, record } = await openCluster(change.clusterId);
  const call = { signal: AbortSignal.timeout(checkSeconds * 1000), deadlineSeconds: checkSeconds };
  try {
    // An update makes a namespace again that was deleted by hand.
    if (change.baseEnv !== undefined && change.kind === "create") await checkMesh(client, change.namespace, call);
    const owner = { ...change, injects: change.baseEnv !== undefined, enforced: enforcedBy(change, plans) };
    const { made, namespace } = await ensureNamespace(client, owner, call);
    await asked.admit?.(namespace);
    const newNamespace = made && change.kind === "create";
    const kinds = change.kind === "update" ? [] : plans.flatMap(({ objects }) => objects);
    // What only reads goes on beside what writes.
    const reading = Promise.all([
      checkPlans(client, change, plans, call),
      readForeign(client, kinds, change.namespace, call),
    ]);
    reading.catch(() => undefined);
    await dryRunConfigs(client, change, configs, call);
    // Logins of cloud registries live for hours only, so every change renews them.
    await writePullSecret(client, { namespace: change.namespace, registryId: asked.registryId }, call);
    const [checked, foreign] = await reading;
    const objects = [...checked.values()].flat();
    // A namespace that was just made contains nothing of others.
    const mayBeForeign = newNamespace ? objects.filter(({ namespaced }) => namespaced === false) : objects;
    const { force } = forces(change);
    await checkForeignFields(client, mayBeForeign, foreign, { force, ...call });
    await reportClusterStatus(record, "normal");
  } catch (error) {
    if (error instanceof ClusterUnreachable) await reportClusterStatus(record, "abnormal", error.message);
    throw error;
  }
}

/** The level that the namespace has to admit: the project's, or where an administrator deploys more, all pods. */
function enforcedBy({ bounds }: Change, plans: readonly RenderedPlan[]): PodSecurityLevel | undefined {
  const enforced = bounds?.enforced;
  if (enforced === undefined || bounds?.podSecurity === enforced) return enforced;
  const exceeds = plans.some(({ objects }) => objects.some((object) => podSecurityProblem(object, enforced)));
  return exceeds ? "privileged" : enforced;
}

async function dryRunConfigs(
  client: ClusterClient,
  change: Change,
  configs: readonly { yamlData: string }[],
  call: CallOptions,
): Promise<void> {
  const objects = configs.map(({ yamlData }) => sentConfigObject(yamlData));
  for (const object of configObjects(change, objects))
    await client.apply(object, { force: true, dryRun: true, ...call });
}

/**
 * The objects of planned services by service as they will be sent, after a check whether anyone else owns one. All
 * conflicts are reported at once.
 * @throws EnvironmentProblem, ApiError 6045 for objects that may not be applied, ClusterError
 */
export async function checkPlans(
  client: ClusterClient,
  change: Parameters<typeof applyScope>[0] & Pick<Change, "clusterId">,
  plans: readonly RenderedPlan[],
  call: CallOptions,
): Promise<Map<string, PreparedObject[]>> {
  const everything = plans.flatMap(({ objects }) => objects);
  if (everything.length === 0) return new Map();
  const [facts, live] = await Promise.all([
    readClusterFacts(client, everything, change.namespace, {
      leaves: leavesWith(
        change,
        plans.map(({ plan }) => plan.name),
        everything,
      ),
      ...call,
    }),
    readLive(client, everything, change.namespace, call),
  ]);
  const resolveOwner = ownersOn(change.clusterId);
  const checked = new Map<string, PreparedObject[]>();
  const seen = new Map<string, string>();
  const [refused, taken]: [string[], string[]] = [[], []];
  for (const { plan, objects, bounds = change.bounds } of plans) {
    const systemRoles = plan.release !== undefined && bounds?.systemRoles === true;
    const scope = { ...applyScope({ ...change, bounds }, plan.name), systemRoles };
    const prepared = prepareObjects(objects, scope, facts);
    refused.push(...prepared.problems.map(({ message }) => `service ${plan.name}: ${message}`));
    const own = prepared.objects.filter(({ namespaced }) => namespaced !== false);
    const conflicts = await checkOwnership(own, live, scope, resolveOwner);
    const shared = await clusterScopedOwnersOf(change, plan.name).settle(
      client,
      prepared.objects.filter(({ namespaced }) => namespaced === false),
      live,
      { take: false, ...call },
    );
    const stands = [...conflicts.map(({ message }) => message), ...shared.flatMap(({ conflict }) => conflict ?? [])];
    taken.push(...stands.map((message) => `service ${plan.name}: ${message}`));
    for (const { key } of prepared.objects) {
      const other = seen.get(key);
      if (other !== undefined)
        taken.push(`resource ownership conflict: ${key} stands in service ${other} and in service ${plan.name}`);
      seen.set(key, plan.name);
    }
    const settled = new Map(shared.map(({ one }) => [one.key, one]));
    checked.set(
      plan.name,
      prepared.objects.map((one) => settled.get(one.key) ?? one),
    );
  }
  if (refused.length > 0) throw new ApiError(6045, [...refused, ...taken].join("; "));
  if (taken.length > 0) throw new EnvironmentProblem(taken.join("; "));
  return checked;
}

/**
 * Whether a sub-environment would have a mesh in its namespace. A namespace that exists already is not labelled for it
 * (contract P 4.3, decisions 5.5), so its pods must get the proxy without that.
 * @throws EnvironmentProblem; ClusterError
 */
async function checkMesh(client: ClusterClient, name: string, call: CallOptions): Promise<void> {
  if ((await meshKindsOf(client, call)) === undefined) throw new EnvironmentProblem(noMesh);
  const namespace = await findNamespace(client, name, call);
  if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return;
  if (injects(namespace) === "no")
    throw new EnvironmentProblem(
      `namespace ${name} exists and its pods do not get Istio's proxy; label it istio-injection=enabled, or choose a new one`,
    );
}
