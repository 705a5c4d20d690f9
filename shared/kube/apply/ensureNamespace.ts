import type { CallOptions, ClusterClient, LiveObject } from "../client/ClusterClient.ts";
import { ClusterAlreadyExists, NamespaceTerminating } from "../client/errors.ts";
import { findObject } from "../client/findObject.ts";
import { namespaceSentence } from "../namespaceSentence.ts";
import { type PodSecurityLevel, podSecurityLevels } from "../podSecurity/podViolations.ts";
import { enforceLabel, injectionLabel, madeForAnnotation, projectLabel } from "./marks.ts";
import { waitForObjects } from "./waitForObjects.ts";

export interface NamespaceOwner {
  namespace: string;
  environmentId: string;
  projectKey: string;
  /** Its pods get the mesh's proxy. */
  injects?: boolean;
  /** What the API server is to enforce of its pods (decisions 17.3). The proxy of a mesh fits no such level. */
  enforced?: PodSecurityLevel | undefined;
}

/** How long one that is being deleted is waited for before it is said. */
const goneSeconds = 12;

/**
 * Makes sure that an environment's namespace is there (contract P 4.3 step 5, decisions 5.5): a new one gets the labels
 * of P 16.1, an existing one is used as it is, one that is being deleted is waited for. Repeating it after a crash tells
 * the same.
 * @returns the namespace, and whether this environment made it
 * @throws NamespaceTerminating for one that is still being deleted (code 6400)
 */
export async function ensureNamespace(
  client: ClusterClient,
  owner: NamespaceOwner,
  call: CallOptions = {},
): Promise<{ made: boolean; namespace: LiveObject }> {
  const standing = await findStanding(client, owner.namespace, call);
  const found = standing ?? (await makeNamespace(client, owner, call));
  const problem = namespaceSentence(owner.namespace, found);
  if (problem !== undefined) throw new NamespaceTerminating(problem);
  if (standing !== undefined) await loosen(client, standing, owner, call);
  return { made: found.metadata.annotations?.[madeForAnnotation] === owner.environmentId, namespace: found };
}

/** A namespace of ours never enforces more than its project keeps: pods that are allowed would not come up. */
async function loosen(
  client: ClusterClient,
  { metadata: { name, labels, annotations } }: LiveObject,
  { enforced }: NamespaceOwner,
  call: CallOptions,
): Promise<void> {
  const now = podSecurityLevels.indexOf((labels?.[enforceLabel] ?? "privileged") as PodSecurityLevel);
  if (enforced === undefined || annotations?.[madeForAnnotation] === undefined) return;
  if (podSecurityLevels.indexOf(enforced) >= now) return;
  const body = { metadata: { labels: { [enforceLabel]: enforced } } };
  await client.patch({ apiVersion: "v1", kind: "Namespace", name }, { type: "merge", body }, call);
}

/** The namespace, or undefined when it no longer exists. */
async function findStanding(client: ClusterClient, name: string, call: CallOptions): Promise<LiveObject | undefined> {
  const found = await findNamespace(client, name, call);
  if (found?.metadata.deletionTimestamp === undefined) return found;
  const kind = { apiVersion: "v1", kind: "Namespace" };
  const query = { fieldSelector: `metadata.name=${name}`, metadataOnly: true };
  const limits = { deadlineSeconds: goneSeconds, signal: call.signal };
  await waitForObjects(client, kind, query, (objects) => !objects.has(found.metadata.uid ?? ""), limits);
  return findNamespace(client, name, call);
}

/** The live namespace, or undefined when there is none. */
export async function findNamespace(
  client: ClusterClient,
  name: string,
  call: CallOptions = {},
): Promise<LiveObject | undefined> {
  return findObject(client, { apiVersion: "v1", kind: "Namespace", name }, call);
}

async function makeNamespace(client: ClusterClient, owner: NamespaceOwner, call: CallOptions): Promise<LiveObject> {
  const { namespace: name, environmentId, projectKey, injects = false, enforced } = owner;
  const labels = {
    createdBy: "koderover",
    [projectLabel]: projectKey,
    ...(injects ? { [injectionLabel]: "enabled" } : enforced !== undefined && { [enforceLabel]: enforced }),
  };
  const annotations = { [madeForAnnotation]: environmentId };
  try {
    return await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels, annotations } }, call);
  } catch (error) {
    // Another client was faster, or our own first try arrived although its answer did not.
    if (!(error instanceof ClusterAlreadyExists)) throw error;
    return client.get({ apiVersion: "v1", kind: "Namespace", name }, call);
  }
}
