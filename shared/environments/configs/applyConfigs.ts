import { readStoredText, type StoredText, storeText } from "../../base/aws/objects/objectStore.ts";
import { type SecretOwner, seal, unseal } from "../../base/aws/secrets/sealedSecret.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed, conflictedOn } from "../../base/store/tableClient.ts";
import { adoptableManagers } from "../../kube/apply/adoptFields.ts";
import { applyByForce } from "../../kube/apply/applyByForce.ts";
import { prepareObjects } from "../../kube/apply/prepareObjects.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { clusterFacts } from "../../kube/readClusterFacts.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { applyScope } from "../apply/applyScope.ts";
import { ChangeSuperseded } from "../change/changeControl.ts";
import type { PlannedConfig } from "../change/createEnvironment.ts";
import { completeConfig, configTypeOf, parseConfigObject } from "../rules/configObject.ts";
import type { Change } from "../store/changes.ts";
import { configChangeWrites } from "../store/configRecords.ts";
import { changeMustBeCurrent } from "../store/environments.ts";
import { follow } from "../store/followedConfigs.ts";
import { storeConfigText } from "./configText.ts";

/** Configurations may be Secrets, so a change keeps them sealed. */
export function sealConfigs(changeId: string, configs: readonly PlannedConfig[]): Promise<StoredText[]> {
  return Promise.all(
    configs.map(async (config) => {
      return storeText(JSON.stringify(await seal(JSON.stringify(config), ownerOf(changeId))));
    }),
  );
}

/** Brings the configuration objects of a new environment into its namespace, before its services (contract P 4.3). */
export async function applyConfigs(change: Change): Promise<void> {
  if (change.configs.length === 0) return;
  const { client, record } = await openCluster(change.clusterId);
  const unsealed = change.configs.map(async (stored) =>
    unseal(JSON.parse(await readStoredText(stored)), ownerOf(change.changeId)),
  );
  const configs = (await Promise.all(unsealed)).map((text) => JSON.parse(text) as PlannedConfig);
  const context = { ...change, clusterName: record.name };
  const objects = configs.map(({ yamlData }) => completeConfig(parseConfigObject(yamlData), context));
  const takes = adoptableManagers(change.adoptManagers);
  for (const object of configObjects(change, objects)) await applyByForce(client, object, { takes });
  for (const config of configs) await noteCreated(change, config);
}

/** The first record of the object's history; a repeated step finds it there. */
async function noteCreated(change: Change, { yamlData, autoSync, source, fileDigest }: PlannedConfig): Promise<void> {
  const { projectKey, envKey, environmentId } = change;
  const object = parseConfigObject(yamlData);
  const config = { projectKey, envKey, configType: configTypeOf(object), name: object.metadata.name };
  const text = await storeConfigText({ environmentId, ...config }, yamlData);
  const created = { operation: "create", by: change.by, at: change.startedAt, yaml: text } as const;
  const notes = { services: [], autoSync, source };
  const following = fileDigest === undefined ? [] : [follow(config, fileDigest)];
  try {
    await table().write(
      changeMustBeCurrent(change),
      ...configChangeWrites(config, undefined, notes, created),
      ...following,
    );
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    if (conflictedOn(error, "environment")) throw new ChangeSuperseded(change.changeId);
  }
}

function ownerOf(changeId: string): SecretOwner {
  return { record: `change:${changeId}`, field: "configs" };
}

/** The objects as they are sent: placed in the environment's namespace and labelled as its own. */
export function configObjects(change: Change, objects: readonly KubeObject[]): KubeObject[] {
  const scopes = new Map(objects.map(({ apiVersion, kind }) => [`${apiVersion}/${kind}`, true] as const));
  return prepareObjects(objects, applyScope(change), clusterFacts(scopes, [])).objects.map(({ object }) => object);
}
