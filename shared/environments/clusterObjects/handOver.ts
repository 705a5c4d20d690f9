import type { ClusterClient, ObjectRef } from "../../clients/kubernetes/ClusterClient.ts";
import { ClusterError } from "../../clients/kubernetes/errors.ts";
import { refOf } from "../../clients/kubernetes/objectRef.ts";
import { loadText } from "../../clients/objects/objectStore.ts";
import { sharedHash } from "../../deploy/claims.ts";
import { objectKey } from "../../deploy/objectKey.ts";
import { prepareObjects } from "../../deploy/prepareObjects.ts";
import { clusterFacts } from "../../deploy/readClusterFacts.ts";
import { parseManifest } from "../../domain/manifest/parseManifest.ts";
import { log } from "../../log.ts";
import type { ClusterOwner } from "../../store/clusterObjects.ts";
import { findEnvironment, findManifest } from "../../store/environments.ts";
import { applyScope } from "../applyScope.ts";

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
  const named = parseManifest(await loadText(manifest.text)).filter(
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
