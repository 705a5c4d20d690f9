import type { StoredText } from "../../base/aws/objects/objectStore.ts";
import { mapBounded } from "../../base/common/mapBounded.ts";
import { notFound } from "../../base/errors/apiError.ts";
import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { log } from "../../base/settings/log.ts";
import { mustExist } from "../../base/store/conditions.ts";
import { newId, nowSeconds } from "../../base/store/ids.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed, conflictedOn } from "../../base/store/tableClient.ts";
import { check as mustHold } from "../../base/store/writes.ts";
import type { Bounds } from "../../kube/bounds.ts";
import type { LiveObject } from "../../kube/client/ClusterClient.ts";
import { jobsNamespace } from "../../kube/clusters/jobsNamespace.ts";
import { findCluster } from "../../kube/clusters/store/clusters.ts";
import { namespaceProblem } from "../../kube/rules/systemNamespaces.ts";
import { type EnvironmentGlobal, relateService } from "../../manifest/variables/environmentVariables.ts";
import { findDefaultRegistry, findRegistry } from "../../packaging/registries/store/registries.ts";
import { environmentJoins, findGlobalVariables, requireProject } from "../../projects/store/projects.ts";
import { countOverview } from "../../reports/statistics/store/overview.ts";
import { checkOnCluster } from "../apply/checkOnCluster.ts";
import { sealConfigs } from "../configs/applyConfigs.ts";
import { EnvironmentProblem, failingWith } from "../failures.ts";
import { followedDigest } from "../follow/readSourceFile.ts";
import { checkSeconds, groupsOf } from "../limits.ts";
import { enablingPath } from "../mesh/enablingPath.ts";
import { type Asking, boundsOf } from "../plan/boundsOf.ts";
import {
  type PlanWarning,
  planServices,
  type RenderedPlan,
  requireKnownNames,
  type ServiceRequest,
  storePlanTexts,
} from "../plan/planServices.ts";
import { recordPlannedServices } from "../plan/recordPlannedServices.ts";
import { type NamespaceConsent, requireNamespace, requireUnnamed } from "../requireNamespace.ts";
import {
  type Change,
  createChange,
  findChange,
  type ServicePlan,
  startChangeRecord,
  storePlans,
} from "../store/changes.ts";
import type { ConfigNotes } from "../store/configRecords.ts";
import {
  changeEnvironment,
  createEnvironmentWrites,
  type EnvironmentRecord,
  findEnvironment,
} from "../store/environments.ts";
import { joinBase } from "../store/subEnvironments.ts";
import { abandonCreation, isForgotten } from "./abandonCreation.ts";
import { startChange } from "./changeControl.ts";
import { newChange } from "./newChange.ts";

export interface NewEnvironment {
  projectKey: string;
  envKey: string;
  kind: "test" | "production";
  alias?: string | undefined;
  clusterId: string;
  namespace: string;
  /** Absent: the default registry as it is now. */
  registryId?: string | undefined;
  services: readonly ServiceRequest[];
  globalVariables: readonly { key: string; value: unknown }[];
  envConfigs: readonly (Pick<ConfigNotes, "autoSync" | "source"> & { yamlData: string; type: string })[];
  /** Take over objects that exist there already. */
  adopt?: boolean | undefined;
  /** The base that it is to be a sub-environment of. */
  baseEnv?: string | undefined;
  /** Of a Helm project. */
  charts?: boolean;
  /** Values that every chart gets. */
  defaultValues?: StoredText | undefined;
  /** Variables and containers of another environment, some of which its services may have lost since. */
  copied?: boolean;
}

/** A configuration of a new environment; the digest is of the file that it follows. */
export type PlannedConfig = NewEnvironment["envConfigs"][number] & { fileDigest?: string | undefined };

export interface Actor extends Asking {
  uid: string;
  name: string;
  account?: string;
  identityType?: string;
}

/**
 * Creates an environment (contract P 4.3, 4.4; decisions 6.1): what can be checked without the cluster, then the name is
 * taken, then what needs the cluster within 20 seconds; the rest is done by the state machine. A failure leaves nothing
 * behind.
 * @throws ApiError 6074 with the reason; 404 for an unknown project
 */
export function createEnvironment(wanted: NewEnvironment, actor: Actor): Promise<PlanWarning[]> {
  return failingWith(6074, async () => {
    const { environment, bounds, plans, configs } = await decideEnvironment(wanted, actor);
    const change = newChange(environment, {
      changeId: environment.changeId,
      kind: "create",
      ...(wanted.adopt === true && { adopt: true }),
      status: "checking",
      groups: groupsOf(plans.map(({ plan }) => plan)),
      bounds,
      by: actor.name,
      startedAt: environment.createdAt,
    });
    await enableReconciler();
    await takeName(environment, change);
    const { begun, stored } = await check(change, environment, { plans, configs, actor }).catch(
      async (error: unknown) => {
        await abandonCreation(change);
        throw error;
      },
    );
    await setGoing(begun, stored);
    return plans.flatMap(({ warnings }) => warnings);
  });
}

/** What the caller waits for; at its end the creation is accepted. */
async function check(
  change: Change,
  environment: EnvironmentRecord,
  { plans, configs: planned, actor }: { plans: RenderedPlan[]; configs: PlannedConfig[]; actor: Actor },
): Promise<{ begun: Change; stored: ServicePlan[] }> {
  const { registryId } = environment;
  let namespaceIs: NamespaceConsent = { consent: "made" };
  const admit = async (namespace: LiveObject) => {
    namespaceIs = await requireNamespace(environment, namespace, actor);
  };
  await checkOnCluster({ change, registryId, plans, configs: planned, admit });
  const configs = await sealConfigs(change.changeId, planned);
  const stored = await storePlanTexts(plans);
  await storePlans(change.changeId, stored);
  try {
    await table().write(startChangeRecord(change, { configs }), changeEnvironment(environment, namespaceIs, mustExist));
  } catch (error) {
    if (error instanceof ConditionFailed) throw new EnvironmentProblem("the environment was deleted meanwhile");
    throw error;
  }
  return { begun: { ...change, configs, status: "running" }, stored };
}

/** The creation is accepted: what fails here the reconciler does again. */
async function setGoing(begun: Change, stored: readonly ServicePlan[]): Promise<void> {
  try {
    await recordPlannedServices(begun, stored);
    await startChange(begun);
  } catch (error) {
    log.error("accepted creation not started yet", { changeId: begun.changeId, internal: String(error) });
  }
}

/**
 * The environment as it will be stored, after everything that can be checked without the cluster.
 * @throws EnvironmentProblem; ApiError 404 for an unknown project
 */
export async function decideEnvironment(
  wanted: NewEnvironment,
  actor: Actor,
): Promise<{ environment: EnvironmentRecord; bounds: Bounds; plans: RenderedPlan[]; configs: PlannedConfig[] }> {
  const { projectKey, envKey, namespace } = wanted;
  const project = await requireProject(projectKey);
  if (wanted.charts === true && project.projectType !== "helm")
    throw new EnvironmentProblem(`only support helm type, but project ${projectKey} is of type ${project.projectType}`);
  if (wanted.charts !== true && project.projectType === "helm")
    throw new EnvironmentProblem(
      `only support k8s type, but project ${projectKey} is of type helm; use POST /openapi/environments/helm`,
    );
  const taken = namespaceProblem(namespace, jobsNamespace());
  if (taken !== undefined) throw new EnvironmentProblem(taken);
  await requireUnnamed(wanted, actor);
  const [cluster, registry, definitions, bounds] = await Promise.all([
    findCluster(wanted.clusterId),
    wanted.registryId === undefined ? findDefaultRegistry() : findRegistry(wanted.registryId),
    findGlobalVariables(projectKey),
    boundsOf({ projectKey, envKey, namespace, bounded: true }, actor),
  ]);
  if (cluster === undefined) throw new EnvironmentProblem(`cluster ${wanted.clusterId} does not exist`);
  if (!cluster.projectNames.includes("<all_projects>") && !cluster.projectNames.includes(projectKey))
    throw new EnvironmentProblem(
      `cluster ${cluster.name} is not open to project ${projectKey}: add it to project_names`,
    );
  if (registry === undefined)
    throw new EnvironmentProblem(
      wanted.registryId === undefined
        ? "no registry_id was given and there is no default image registry"
        : `registry ${wanted.registryId} does not exist`,
    );
  const production = wanted.kind === "production";
  const globals = globalsOf(wanted.globalVariables, production ? definitions.production : definitions.test);
  if (wanted.baseEnv !== undefined) await requireBaseEnvironment({ ...wanted, production }, wanted.baseEnv);
  const now = nowSeconds();
  const environmentId = newId(now);
  const target = {
    projectKey,
    production,
    place: { environmentId, clusterId: wanted.clusterId },
    envKey,
    namespace,
    clusterName: cluster.name,
    globals,
    defaultValues: wanted.defaultValues,
    unknownGlobal: "refuse" as const,
    bounds,
  };
  const plans = await planServices(target, wanted.services, new Map());
  if (wanted.copied !== true) requireKnownNames(wanted.services, plans);
  const environment: EnvironmentRecord = {
    environmentId,
    projectKey,
    envKey,
    alias: wanted.alias ?? "",
    production,
    clusterId: wanted.clusterId,
    namespace,
    registryId: registry.registryId,
    ...(wanted.baseEnv !== undefined && { baseEnv: wanted.baseEnv }),
    ...(wanted.defaultValues !== undefined && { defaultValues: wanted.defaultValues }),
    bounded: true,
    status: "creating",
    error: "",
    changeId: newId(now),
    globalVariables: withRelated(globals, plans),
    createdBy: actor.name,
    createdAt: now,
    updatedBy: actor.name,
    updatedAt: now,
  };
  return { environment, bounds, plans, configs: await withDigests(wanted.envConfigs) };
}

/** Files that configurations follow are read now, so that none that cannot be read is accepted. */
function withDigests(configs: NewEnvironment["envConfigs"]): Promise<PlannedConfig[]> {
  return mapBounded([...configs.entries()], 4, async ([at, config]) => {
    try {
      return { ...config, fileDigest: await followedDigest(config) };
    } catch (error) {
      if (!(error instanceof EnvironmentProblem)) throw error;
      throw new EnvironmentProblem(`env_configs[${at}]: ${error.message}`);
    }
  });
}

/** Values given for global variables; each must be defined on the project (contract P 4.3). */
function globalsOf(
  given: NewEnvironment["globalVariables"],
  definitions: Awaited<ReturnType<typeof findGlobalVariables>>["test"],
): EnvironmentGlobal[] {
  return given.map(({ key, value }) => {
    const definition = definitions.find((candidate) => candidate.key === key);
    if (definition === undefined)
      throw new EnvironmentProblem(`global variables not match the definition: ${key} is not defined on the project`);
    return { ...definition, value, relatedServices: [] };
  });
}

function withRelated(globals: readonly EnvironmentGlobal[], plans: readonly RenderedPlan[]): EnvironmentGlobal[] {
  return plans.reduce((related, { plan }) => relateService(related, plan.name, plan.variables), [...globals]);
}

/** The conditional record takes the name: of two creations one wins. */
async function takeName(environment: EnvironmentRecord, change: Change): Promise<void> {
  const { projectKey, envKey, baseEnv } = environment;
  try {
    await table().write(
      ...createEnvironmentWrites(environment),
      ...createChange(change, change.startedAt + 2 * checkSeconds),
      environmentJoins(projectKey),
      countOverview("environments", 1),
      ...(baseEnv === undefined ? [] : joinBase(projectKey, baseEnv, envKey)),
      mustHold(keys.cluster(environment.clusterId), mustExist),
      mustHold(keys.registry(environment.registryId), mustExist),
    );
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    if (conflictedOn(error, "environment")) {
      if (await takeForgottenBack(environment)) return takeName(environment, change);
      throw new EnvironmentProblem(
        `environment already exists: ${environment.envKey} in project ${environment.projectKey}`,
      );
    }
    if (conflictedOn(error, "base"))
      throw new EnvironmentProblem(`environment ${baseEnv} ceased to be a base at the same moment`);
    if (conflictedOn(error, "project")) throw notFound(`project ${environment.projectKey}`);
    throw new EnvironmentProblem("the cluster or the registry was deleted at the same moment");
  }
}

/** What holds the name may be a creation whose request was killed: its caller, who comes again, need not wait for the reconciler. */
async function takeForgottenBack({ projectKey, envKey }: EnvironmentRecord): Promise<boolean> {
  const found = await findEnvironment(projectKey, envKey);
  const change = found && (await findChange(found.changeId));
  if (change === undefined || !isForgotten(change)) return false;
  await abandonCreation(change);
  return true;
}

/**
 * A sub-environment exists beside its base: in the same project, on the same cluster, in another namespace.
 * @throws EnvironmentProblem when the environment named cannot be its base
 */
async function requireBaseEnvironment(
  sub: Pick<EnvironmentRecord, "projectKey" | "envKey" | "clusterId" | "namespace" | "production">,
  baseEnv: string,
): Promise<void> {
  const base = baseEnv === "" ? undefined : await findEnvironment(sub.projectKey, baseEnv);
  const problem = baseEnv === "" ? "sub_env.base_env is required where enable is true" : problemOf(sub, baseEnv, base);
  if (problem !== undefined) throw new EnvironmentProblem(problem);
}

function problemOf(
  { projectKey, clusterId, namespace, production }: Parameters<typeof requireBaseEnvironment>[0],
  baseEnv: string,
  base: EnvironmentRecord | undefined,
): string | undefined {
  if (base === undefined || base.production !== production)
    return `base environment ${baseEnv} does not exist among the ${production ? "production" : "test"} environments of project ${projectKey}`;
  if (base.baseEnv !== undefined)
    return `environment ${baseEnv} is a sub-environment itself; its base is ${base.baseEnv}`;
  if (base.status === "deleting") return `base environment ${baseEnv} is being deleted`;
  if (base.share !== "enabled") return `environment ${baseEnv} is not a base; ${enablingPath(base)} makes it one`;
  if (base.status === "sleeping" || base.asleep === true)
    return `base environment ${baseEnv} is sleeping; wake it first`;
  if (base.clusterId !== clusterId)
    return `a sub-environment stands on the cluster of its base, which is ${base.clusterId}`;
  if (base.namespace === namespace) return `a sub-environment needs a namespace of its own; ${namespace} is its base's`;
  return undefined;
}
