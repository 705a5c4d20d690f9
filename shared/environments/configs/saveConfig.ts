import { mapBounded } from "../../base/common/mapBounded.ts";
import { ApiError, notFound } from "../../base/errors/apiError.ts";
import type { ErrorCode } from "../../base/errors/catalogue.ts";
import { environmentLabel, serviceLabel } from "../../kube/apply/marks.ts";
import type { LiveObject } from "../../kube/client/ClusterClient.ts";
import { describe } from "../../kube/client/objectRef.ts";
import { previewRestart, restartWorkload } from "../../kube/live/restartWorkload.ts";
import type { ObjectPreview } from "../../kube/preview/objectPreview.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { at, podSpecPath } from "../../manifest/workloads.ts";
import type { Actor } from "../change/createEnvironment.ts";
import { EnvironmentProblem, failingWith } from "../failures.ts";
import { followedDigest } from "../follow/readSourceFile.ts";
import type { EnvironmentName } from "../requireEnvironment.ts";
import { type ConfigType, configKinds, configTypeOf } from "../rules/configObject.ts";
import { refersToConfig } from "../rules/refersToConfig.ts";
import type { ConfigNotes } from "../store/configRecords.ts";
import { type ConfigSeen, changeConfig, seeConfig } from "./changeConfig.ts";
import { applyConfig, previewConfigObject, requireOwnConfig } from "./configOnCluster.ts";
import { sentConfigObject } from "./sentConfigObject.ts";

const restartedKinds = ["Deployment", "StatefulSet", "DaemonSet"].map((kind) => ({ apiVersion: "apps/v1", kind }));

/**
 * Restarts the workloads of an environment whose pods read the object (contract P 7.4): pods take over a changed variable
 * only when they start. Every one is tried. @throws EnvironmentProblem naming those that could not be restarted
 */
async function restartReferring(config: ConfigSeen, type: ConfigType, name: string): Promise<void> {
  const referring = await findReferring(config, type, name);
  const now = new Date().toISOString();
  const problems = await mapBounded(referring, 16, (object) => restartWorkload(config.client, object, now));
  const failed = problems.filter((problem) => problem !== undefined);
  if (failed.length > 0)
    throw new EnvironmentProblem(`${type} ${name} was changed, but these were not restarted: ${failed.join("; ")}`);
}

/** The workloads of the environment whose pods read the object. @throws ClusterError */
async function findReferring(
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

/** A configuration object as a caller sends it. */
export interface WantedConfig {
  name: string;
  type: ConfigType;
  yaml: string;
  notes: Partial<ConfigNotes>;
  /** Of the file that `yaml` was read from just now. */
  fileDigest?: string;
}

/**
 * Creates a configuration object (contract P 7.1). A ConfigMap or PVC must be new; a Secret or Ingress that is there is
 * taken over. The object's own name counts.
 * @throws ApiError 404 unknown environment; 6076 wrong state; 6090 (ConfigMap) or 6095 with the reason
 */
export function createConfig(at: EnvironmentName, wanted: WantedConfig, actor: Actor): Promise<void> {
  return creating(wanted, (object, fileDigest) =>
    changeConfig(at, wanted.type, object.metadata.name, actor, async (config) => {
      await checkCreation(wanted, config);
      await applyConfig(config.environment, config, object);
      await config.note({ operation: "create", yaml: wanted.yaml, notes: wanted.notes, fileDigest });
    }),
  );
}

/** What creating it would do. @throws ApiError as `createConfig` */
export function previewConfigCreation(at: EnvironmentName, wanted: WantedConfig): Promise<ObjectPreview[]> {
  return creating(wanted, async (object) => {
    const config = await seeConfig(at, wanted.type, object.metadata.name);
    await checkCreation(wanted, config);
    return [await previewConfigObject(config.environment, config, object)];
  });
}

type Work<T> = (object: KubeObject, fileDigest: string | undefined) => Promise<T>;

function creating<T>(wanted: WantedConfig, work: Work<T>): Promise<T> {
  return failingWith(wanted.type === "ConfigMap" ? 6090 : 6095, async () => {
    const object = readWanted(wanted, 6095);
    return work(object, await fileDigestOf(wanted));
  });
}

async function fileDigestOf({ notes, fileDigest }: WantedConfig): Promise<string | undefined> {
  return (await followedDigest(notes)) ?? fileDigest;
}

async function checkCreation({ type }: WantedConfig, config: ConfigSeen): Promise<void> {
  refuseTaken(type, config);
  await requireOwnConfig(config.environment, config);
}

/**
 * Changes a configuration object and restarts the workloads of the environment that refer to it (contract P 7.4).
 * @throws ApiError 404 unknown environment or object; 6076 wrong state or YAML; 6089 (ConfigMap) or 6095 with the reason
 */
export function updateConfig(at: EnvironmentName, wanted: WantedConfig, actor: Actor): Promise<void> {
  return updating(wanted, (object, fileDigest) =>
    changeConfig(at, wanted.type, wanted.name, actor, async (config) => {
      await checkUpdate(wanted, config);
      await applyConfig(config.environment, config, object);
      await config.note({ operation: "update", yaml: wanted.yaml, notes: wanted.notes, fileDigest });
      await restartReferring(config, wanted.type, wanted.name);
    }),
  );
}

/** What changing it would do, the restarts included. @throws ApiError as `updateConfig` */
export function previewConfigUpdate(at: EnvironmentName, wanted: WantedConfig): Promise<ObjectPreview[]> {
  return updating(wanted, async (object) => {
    const config = await seeConfig(at, wanted.type, wanted.name);
    await checkUpdate(wanted, config);
    const referring = await findReferring(config, wanted.type, wanted.name);
    return [
      await previewConfigObject(config.environment, config, object),
      ...(await mapBounded(referring, 16, (workload) => previewRestart(config.client, workload))),
    ];
  });
}

function updating<T>(wanted: WantedConfig, work: Work<T>): Promise<T> {
  const code = wanted.type === "ConfigMap" ? 6089 : 6095;
  return failingWith(code, async () => {
    const object = await failingWith(6076, async () => readWanted(wanted, 6076));
    if (object.metadata.name !== wanted.name)
      throw new ApiError(code, `metadata.name is ${object.metadata.name}, but the configuration is ${wanted.name}`);
    return work(object, await fileDigestOf(wanted));
  });
}

async function checkUpdate({ type, name }: WantedConfig, config: ConfigSeen): Promise<void> {
  if (config.live === undefined)
    throw notFound(`${type} ${name} in the namespace of environment ${config.environment.envKey}`);
  await requireOwnConfig(config.environment, config);
}

function readWanted({ type, yaml }: WantedConfig, wrongKind: ErrorCode): KubeObject {
  const object = sentConfigObject(yaml);
  const { apiVersion, kind } = configKinds[type];
  if (configTypeOf(object) !== type)
    throw new ApiError(wrongKind, `yaml_data holds a ${object.kind}, but common_env_cfg_type is ${type}`);
  if (object.apiVersion !== apiVersion)
    throw new ApiError(wrongKind, `apiVersion of a ${kind} is ${apiVersion}, not ${object.apiVersion}`);
  return object;
}

/** An object of ours without a record is what a creation left that ended in the middle: it may be done again. */
function refuseTaken(type: ConfigType, { live, record, environment, ref }: ConfigSeen): void {
  if (live === undefined || type === "Secret" || type === "Ingress") return;
  const unfinished = record === undefined && live.metadata.labels?.[environmentLabel] === environment.environmentId;
  if (!unfinished || live.metadata.labels?.[serviceLabel] !== undefined)
    throw new EnvironmentProblem(`${describe(ref)} already exists; use an update to change it`);
}
