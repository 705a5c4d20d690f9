import { readStoredText } from "../../base/aws/objects/objectStore.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { mustHaveVersion } from "../../base/store/conditions.ts";
import { table } from "../../base/store/table.ts";
import { conflictedOn, type Item } from "../../base/store/tableClient.ts";
import type { Write } from "../../base/store/writes.ts";
import { isKeptByPolicy, policySentence } from "../../kube/apply/keptByPolicy.ts";
import type { ObjectRef } from "../../kube/client/ClusterClient.ts";
import { refOf } from "../../kube/client/objectRef.ts";
import { findCluster } from "../../kube/clusters/store/clusters.ts";
import { objectKey } from "../../kube/objectKey.ts";
import { parseManifest } from "../../manifest/parseManifest.ts";
import { isDefinition } from "../../manifest/schema/isDefinition.ts";
import { type EnvironmentGlobal, relateService } from "../../manifest/variables/environmentVariables.ts";
import { projectMustStand } from "../../projects/store/projects.ts";
import { checkOnCluster } from "../apply/checkOnCluster.ts";
import { keptDefinitions } from "../clusterObjects/keptDefinitions.ts";
import { EnvironmentBusy, EnvironmentProblem, failingWith } from "../failures.ts";
import { groupsOf } from "../limits.ts";
import { type Asking, boundsOf } from "../plan/boundsOf.ts";
import {
  type PlanTarget,
  type PlanWarning,
  planServices,
  type RenderedPlan,
  requireKnownNames,
  type ServiceRequest,
  storePlanTexts,
  UnknownService,
} from "../plan/planServices.ts";
import { recordPlannedServices } from "../plan/recordPlannedServices.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import { type Change, createChange, storePlans, supersedeChange } from "../store/changes.ts";
import { findManifests } from "../store/environmentManifests.ts";
import {
  changeEnvironment,
  type EnvironmentRecord,
  findEnvironment,
  type WholeEnvironment,
} from "../store/environments.ts";
import { requireNoRollout } from "../workloads/requireNoRollout.ts";
import { startChange } from "./changeControl.ts";
import type { Actor } from "./createEnvironment.ts";
import { newChange } from "./newChange.ts";
import { requireUpdatable } from "./requireUpdatable.ts";
import { endOpenWait, findOpenWait, findUnreadyPlans } from "./takeOverWait.ts";

/** Warns of what says `keep` and what new manifests do not have any longer: it stays (decisions 20.3). */
async function keptObjects(
  { environment, services }: WholeEnvironment,
  plans: readonly RenderedPlan[],
): Promise<PlanWarning[]> {
  const { projectKey, envKey, namespace } = environment;
  const names = plans.map(({ plan }) => plan.name);
  const manifests = await findManifests(projectKey, envKey, names);
  const kept = plans.map(async ({ plan, objects }) => {
    const before = manifests.get(plan.name);
    if (before === undefined) return [];
    const wanted = new Set(objects.map((object) => keyOf(refOf(object))));
    const former = parseManifest(await readStoredText(before.text)).filter(
      (object) => isKeptByPolicy(object) && !isDefinition(object) && !wanted.has(keyOf(refOf(object))),
    );
    const shared = new Set(services.find(({ name }) => name === plan.name)?.clusterObjects?.map(keyOf));
    return former.map(refOf).map((ref) => (shared.has(keyOf(ref)) ? ref : { ...ref, namespace }));
  });
  const refs = (await Promise.all(kept)).flat();
  return refs.map((ref) => ({ code: "object_kept", message: policySentence(ref), line: 0 }));
}

/** Of an object of one environment: a manifest may leave its namespace out. */
const keyOf = ({ apiVersion, kind, name }: ObjectRef): string => objectKey({ apiVersion, kind, name });

/**
 * Adds services to an environment at their newest revision (contract P 5.3).
 * @throws ApiError 404 unknown environment; 6092 unknown service; 6076 wrong state, service present, conflict
 */
export function addServices(
  name: EnvironmentName,
  requests: readonly ServiceRequest[],
  options: Pick<Change, "adopt">,
  actor: Actor,
): Promise<PlanWarning[]> {
  return changeServices("add", name, requests, options, actor);
}

/**
 * Moves services of an environment to their newest revision (contract P 5.4).
 * @throws ApiError 404 unknown environment or a service that is not in it; 6092 deleted definition; 6076 wrong state
 */
export function updateServices(
  name: EnvironmentName,
  requests: readonly ServiceRequest[],
  options: Pick<Change, "reset" | "deleteCrds">,
  actor: Actor,
): Promise<PlanWarning[]> {
  return changeServices("update", name, requests, options, actor);
}

async function changeServices(
  kind: "add" | "update",
  name: EnvironmentName,
  requests: readonly ServiceRequest[],
  options: Pick<Change, "adopt" | "reset" | "deleteCrds">,
  actor: Actor,
): Promise<PlanWarning[]> {
  const whole = await requireEnvironment(name);
  if (requests.length === 0) return [];
  return failingWith(6076, async () => {
    const plans = await planServicesChange(kind, whole, requests, actor);
    const kept = options.deleteCrds === true ? [] : await keptDefinitions(whole.environment, droppedBy(whole, plans));
    const stay = kind === "add" ? [] : await keptObjects(whole, plans);
    await startServicesChange(kind, whole, plans, actor, options);
    return [...plans.flatMap(({ warnings }) => warnings), ...kept, ...stay];
  });
}

/** What services have outside of namespaces and their new manifests hold no more. */
function droppedBy({ services }: WholeEnvironment, plans: readonly RenderedPlan[]) {
  return services.map(({ name, clusterObjects = [] }) => {
    const objects = plans.find(({ plan }) => plan.name === name)?.objects;
    const wanted = new Set(objects?.map((object) => objectKey(refOf(object))));
    return {
      name,
      clusterObjects: objects === undefined ? [] : clusterObjects.filter((ref) => !wanted.has(objectKey(ref))),
    };
  });
}

/** @returns writes that go with the acceptance of a change */
export type Beside = (change: Change) => readonly Write[];

/**
 * Checks what was planned against the cluster and sets the change going; `whole.environment` holds the global variables
 * and default values that will be stored with it.
 * @throws EnvironmentProblem in a wrong state, for a conflict, and when another change was faster
 */
export async function startServicesChange(
  kind: "add" | "update",
  whole: WholeEnvironment,
  plans: readonly RenderedPlan[],
  actor: Actor,
  options: Pick<Change, "adopt" | "reset" | "deleteCrds" | "releasePlan"> = {},
  beside: Beside = () => [],
): Promise<void> {
  const named = whole.services.filter(({ name }) => plans.some(({ plan }) => plan.name === name));
  await requireNoRollout(
    whole.environment,
    named.flatMap(({ workloads }) => workloads),
  );
  const change = newChange(whole.environment, {
    ...options,
    kind,
    groups: groupsOf(plans.map(({ plan }) => plan)),
    bounds: await boundsOf(whole.environment, actor),
    by: actor.name,
    byUser: { uid: actor.uid, account: actor.account ?? "", identityType: actor.identityType ?? "" },
  });
  await checkOnCluster({ change, registryId: whole.environment.registryId, plans, configs: [] });
  const stored = await storePlanTexts(plans);
  const unready = await findUnreadyPlans(whole.environment);
  const others = unready.filter(({ name }) => stored.every((plan) => plan.name !== name));
  await storePlans(change.changeId, [...stored, ...others]);
  await enableReconciler();
  await accept(whole, change, plans, actor, beside);
  await recordPlannedServices(change, stored);
  await startChange(change);
}

function refuseWrongPresence(
  kind: "add" | "update",
  whole: WholeEnvironment,
  requests: readonly ServiceRequest[],
): void {
  requireUpdatable(whole.environment);
  const present = new Set(whole.services.map((service) => service.name));
  for (const { name } of requests) {
    if (whole.leaving.includes(name))
      throw new EnvironmentBusy(`service ${name} is still being removed from the environment; try again in a moment`);
    if (kind === "add" && present.has(name))
      throw new EnvironmentProblem(
        `service ${name} already exist in env, cannot repeatedly add the same service to the environment`,
      );
    if (kind === "update" && !present.has(name))
      throw new ApiError(
        404,
        `service ${name} does not exist in environment ${whole.environment.envKey}; add it first`,
      );
  }
}

/**
 * What a change of services will apply, after everything that can be checked without the cluster.
 * @param definitions rendered instead of the newest revisions
 * @throws EnvironmentProblem in a wrong state or for a service that is there; ApiError 404, 6092
 */
export async function planServicesChange(
  kind: "add" | "update",
  whole: WholeEnvironment,
  requests: readonly ServiceRequest[],
  by: Asking,
  definitions?: PlanTarget["definitions"],
): Promise<RenderedPlan[]> {
  refuseWrongPresence(kind, whole, requests);
  const target = { ...(await planTargetOf(whole.environment, by)), ...(definitions && { definitions }) };
  const { services } = whole;
  try {
    const plans = await planServices(target, requests, new Map(services.map((service) => [service.name, service])));
    requireKnownNames(requests, plans);
    return plans;
  } catch (error) {
    if (error instanceof UnknownService) throw new ApiError(6092, error.message);
    throw error;
  }
}

/** Where services of a standing environment are rendered to. */
export async function planTargetOf(environment: EnvironmentRecord, by: Asking): Promise<PlanTarget> {
  const [cluster, bounds] = await Promise.all([findCluster(environment.clusterId), boundsOf(environment, by)]);
  return {
    bounds,
    projectKey: environment.projectKey,
    production: environment.production,
    envKey: environment.envKey,
    namespace: environment.namespace,
    clusterName: cluster?.name ?? "",
    globals: environment.globalVariables,
    defaultValues: environment.defaultValues,
    unknownGlobal: "reset",
    place: { environmentId: environment.environmentId, clusterId: environment.clusterId },
  };
}

/** Of two changes at the same moment one goes; the other finds another change there. */
async function accept(
  whole: WholeEnvironment,
  change: Change,
  plans: readonly RenderedPlan[],
  actor: Actor,
  beside: Beside,
): Promise<void> {
  const { environment } = whole;
  const before = await findOpenWait(environment);
  const set = {
    status: "updating" as const,
    rollingOut: false,
    changeId: change.changeId,
    updatedBy: actor.name,
    globalVariables: relate(environment.globalVariables, plans),
    ...(environment.defaultValues !== undefined && { defaultValues: environment.defaultValues }),
  };
  try {
    await table().write(
      changeEnvironment(environment, set, mustHaveVersion(environment.version)),
      ...createChange(change, change.deadline),
      projectMustStand(environment.projectKey),
      ...(before === undefined ? [] : [supersedeChange(before, change)]),
      ...beside(change),
    );
  } catch (error) {
    if (!conflictedOn(error, "environment")) throw error;
    const moved = await withMovedStatus(environment);
    if (moved !== undefined) return accept({ ...whole, environment: moved }, change, plans, actor, beside);
    throw new EnvironmentBusy(
      "environment is in a state that cannot be updated: another change of it began at the same moment",
    );
  }
  if (before !== undefined) await endOpenWait(before);
}

/** The environment as it was read, when nothing but the end of a wait came between; undefined otherwise. */
async function withMovedStatus(read: Item<EnvironmentRecord>): Promise<Item<EnvironmentRecord> | undefined> {
  const now = await findEnvironment(read.projectKey, read.envKey);
  if (now?.changeId !== read.changeId || now.version !== read.version + 1 || now.status === read.status)
    return undefined;
  return { ...read, status: now.status, rollingOut: false, version: now.version };
}

/** Which services read a global variable, after this change. */
function relate(globals: readonly EnvironmentGlobal[], plans: readonly RenderedPlan[]): EnvironmentGlobal[] {
  return plans.reduce((related, { plan }) => relateService(related, plan.name, plan.variables), [...globals]);
}
