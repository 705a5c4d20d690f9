import { loadText, type StoredText, storeText } from "../clients/objects/objectStore.ts";
import { type SecretOwner, seal, unseal } from "../clients/secrets/sealedSecret.ts";
import { openCluster } from "../clusters/openCluster.ts";
import { prepareObjects } from "../deploy/prepareObjects.ts";
import { clusterFacts } from "../deploy/readClusterFacts.ts";
import { parseConfigObject } from "../domain/environment/configObject.ts";
import type { KubeObject } from "../domain/manifest/kubeObject.ts";
import type { Change } from "../store/changes.ts";
import { applyScope } from "./applyScope.ts";

/** Configurations may be Secrets, so a change keeps them sealed. */
export function sealConfigs(changeId: string, configs: readonly { yamlData: string }[]): Promise<StoredText[]> {
  return Promise.all(
    configs.map(async ({ yamlData }) => storeText(JSON.stringify(await seal(yamlData, ownerOf(changeId))))),
  );
}

/** Brings the configuration objects of a new environment into its namespace, before its services (contract P 4.3). */
export async function applyConfigs(change: Change): Promise<void> {
  if (change.configs.length === 0) return;
  const { client } = await openCluster(change.clusterId);
  const texts = change.configs.map(async (stored) =>
    unseal(JSON.parse(await loadText(stored)), ownerOf(change.changeId)),
  );
  const objects = (await Promise.all(texts)).map(parseConfigObject);
  for (const object of configObjects(change, objects)) await client.apply(object, { force: true });
}

function ownerOf(changeId: string): SecretOwner {
  return { record: `change:${changeId}`, field: "configs" };
}

/** The objects as they are sent: placed in the environment's namespace and labelled as its own. */
export function configObjects(change: Change, objects: readonly KubeObject[]): KubeObject[] {
  const scopes = new Map(objects.map(({ apiVersion, kind }) => [`${apiVersion}/${kind}`, true] as const));
  return prepareObjects(objects, applyScope(change), clusterFacts(scopes, [])).objects.map(({ object }) => object);
}
