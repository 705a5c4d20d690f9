import { readStoredText } from "../../base/aws/objects/objectStore.ts";
import { log } from "../../base/settings/log.ts";
import { sharedHash } from "../../kube/apply/clusterScopedOwners.ts";
import { prepareObjects } from "../../kube/apply/prepareObjects.ts";
import type { ClusterClient, ObjectRef } from "../../kube/client/ClusterClient.ts";
import { ClusterError } from "../../kube/client/errors.ts";
import { refOf } from "../../kube/client/objectRef.ts";
import { objectKey } from "../../kube/objectKey.ts";
import { clusterFacts } from "../../kube/readClusterFacts.ts";
import { parseManifest } from "../../manifest/parseManifest.ts";
import { applyScope } from "../apply/applyScope.ts";
import type { ClusterOwner } from "../store/clusterObjects.ts";
import { findEnvironment, findManifest } from "../store/environments.ts";

/**
 * Gives an object the labels of the owner that is first now, by applying it as that one's manifest has it. Who owns it is
 * recorded already: where this fails, the labels follow with the next change of that owner.
 */
export async function handOver(
  client: ClusterClient,
  ref: ObjectRef,
  { projectKey, envKey, serviceName }: ClusterOwner,
  contentHash: string,
): Promise<void> {
  const [environment, manifest] = await Promise.all([
    findEnvironment(projectKey, envKey),
    findManifest(projectKey, envKey, serviceName),
  ]);
  if (environment === undefined || manifest === undefined) return;
  const named = parseManifest(await readStoredText(manifest.text)).filter(
    (object) => objectKey(refOf(object)) === objectKey(ref),
  );
  const facts = clusterFacts(new Map(named.map(({ apiVersion, kind }) => [`${apiVersion}/${kind}`, false])), []);
  const [one] = prepareObjects(named, applyScope(environment, serviceName), facts).objects;
  if (one === undefined || sharedHash(one.object) !== contentHash) return;
  try {
    await client.apply(one.object, { metadataOnly: true });
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    log.warn("labels of a shared object not moved", { projectKey, envKey, object: one.key, internal: error.message });
  }
}
