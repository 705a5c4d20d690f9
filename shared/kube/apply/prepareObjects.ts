import type { KubeObject } from "../../manifest/parseManifest.ts";
import type { ObjectRef } from "../client/ClusterClient.ts";
import { refOf } from "../client/objectRef.ts";
import { type Fields, fieldsOf, podTemplateOf } from "../live/podTemplate.ts";
import { kindKey, objectKey } from "../objectKey.ts";
import type { ClusterFacts } from "../readClusterFacts.ts";
import { clusterScopeProblem, isSystemRole } from "../scopeRules.ts";
import { contentHash } from "./contentHash.ts";
import {
  contentHashAnnotation,
  environmentLabel,
  isPullSecret,
  pullSecretName,
  pullSecretSentence,
  serviceLabel,
} from "./marks.ts";

/** Whose objects these are and where they go. */
export interface ApplyScope {
  environmentId: string;
  environmentKey: string;
  projectKey: string;
  /** Absent for the configuration objects of an environment (contract P 7.1). */
  serviceName?: string | undefined;
  namespace: string;
  production: boolean;
  /** Cluster-scoped kinds that may be applied; the default of decisions 5.7 when absent. */
  clusterKinds?: readonly string[] | undefined;
  /** Roles and bindings in `kube-system` stay there; everything else goes to the environment's namespace. */
  systemRoles?: boolean | undefined;
  /** Pod templates stay as they are: a release that was adopted runs on without our labels in its pods. */
  podsAsTheyAre?: boolean | undefined;
}

/** What labels say of whose an object is. */
export type LabelScope = Omit<ApplyScope, "namespace" | "clusterKinds" | "podsAsTheyAre" | "systemRoles">;

/** An object as it is sent: named, labelled, placed and hashed. */
export interface PreparedObject {
  object: KubeObject;
  ref: ObjectRef;
  key: string;
  hash: string;
  /** Undefined while the cluster does not serve the kind: its definition may be in the same manifest. */
  namespaced: boolean | undefined;
  /** A HorizontalPodAutoscaler decides the replicas, so they were left out. */
  autoscaled: boolean;
}

/** An object that may not be applied (code 6045), and why. */
export interface ObjectProblem {
  ref: ObjectRef;
  message: string;
}

/**
 * Makes the objects of a rendered manifest ready to apply (decisions 5.4, 5.6, 5.7, contract P 16.1, 16.2). The input is
 * not changed. Objects with a problem are left out of `objects`, and so is the environment's own namespace.
 */
export function prepareObjects(
  objects: readonly KubeObject[],
  scope: ApplyScope,
  facts: ClusterFacts,
): { objects: PreparedObject[]; problems: ObjectProblem[] } {
  const prepared: PreparedObject[] = [];
  const problems: ObjectProblem[] = [];
  const seen = new Set<string>();
  for (const original of objects) {
    if (isOwnNamespace(original, scope)) continue;
    const namespaced = facts.namespaced(original);
    const problem =
      namespaced === false ? clusterScopeProblem(refOf(original), scope.clusterKinds) : namelessListProblem(original);
    const message = isPullSecret(refOf(original)) ? pullSecretSentence : problem;
    const one = prepareOne(original, scope, facts, namespaced);
    if (message !== undefined) problems.push({ ref: one.ref, message });
    else if (seen.has(one.key)) problems.push({ ref: one.ref, message: `${one.key} stands twice in the manifest` });
    else prepared.push(one);
    seen.add(one.key);
  }
  return { objects: prepared, problems };
}

/** The environment has its namespace already, so a manifest that makes it too brings nothing. */
function isOwnNamespace({ apiVersion, kind, metadata }: KubeObject, { namespace }: ApplyScope): boolean {
  return kind === "Namespace" && apiVersion === "v1" && metadata.name === namespace;
}

function prepareOne(
  original: KubeObject,
  scope: ApplyScope,
  facts: ClusterFacts,
  namespaced: boolean | undefined,
): PreparedObject {
  const object = structuredClone(original);
  if (namespaced === false) delete object.metadata.namespace;
  else if (scope.systemRoles !== true || !isSystemRole(object)) object.metadata.namespace = scope.namespace;
  // What only a server writes would make a server-side apply fail or conflict with itself.
  for (const field of ["managedFields", "uid", "resourceVersion", "creationTimestamp", "generation", "selfLink"])
    delete object.metadata[field];
  delete object.status;
  object.metadata.labels = { ...object.metadata.labels, ...objectLabels(scope, namespaced === false) };
  const template = podTemplateOf(object);
  keepSelector(object, template);
  if (template !== undefined && scope.podsAsTheyAre !== true) preparePods(template, scope);
  const autoscaled = facts.autoscaled(object);
  if (autoscaled) delete fieldsOf(object.spec)?.replicas;
  const { [contentHashAnnotation]: _old, ...annotations } = object.metadata.annotations ?? {};
  object.metadata.annotations = annotations;
  const hash = contentHash(object);
  object.metadata.annotations = { ...annotations, [contentHashAnnotation]: hash };
  const ref = refOf(object);
  return { object, ref, key: objectKey(ref), hash, namespaced, autoscaled };
}

/** Without a selector of its own the controller selects by all labels of its pods, and must not do so by ours. */
function keepSelector(object: KubeObject, template: Fields | undefined): void {
  const spec = fieldsOf(object.spec);
  const labels = fieldsOf(fieldsOf(template?.metadata)?.labels) ?? {};
  if (kindKey(object) !== "ReplicationController" || spec === undefined || Object.keys(labels).length === 0) return;
  if (Object.keys(fieldsOf(spec.selector) ?? {}).length === 0) spec.selector = { ...labels };
}

/** Labels of a pod template: ours always, the short ones in test environments (contract P 16.1, 18). */
function podLabels(scope: LabelScope): Record<string, string> {
  const { environmentId, projectKey, serviceName, production } = scope;
  return {
    [environmentLabel]: environmentId,
    ...(serviceName !== undefined && { [serviceLabel]: serviceName }),
    ...(!production && { "s-product": projectKey }),
    ...(!production && serviceName !== undefined && { "s-service": serviceName }),
  };
}

/** What of ours an object carries. */
export function objectLabels(scope: LabelScope, clusterScoped: boolean): Record<string, string> {
  const named = clusterScoped || scope.serviceName === undefined;
  return { ...podLabels(scope), ...(!scope.production && named && { "s-env": scope.environmentKey }) };
}

function preparePods(template: Fields, scope: ApplyScope): void {
  const metadata = fieldsOf(template.metadata) ?? {};
  template.metadata = { ...metadata, labels: { ...fieldsOf(metadata.labels), ...podLabels(scope) } };
  const spec = fieldsOf(template.spec);
  if (spec === undefined) return;
  const secrets = Array.isArray(spec.imagePullSecrets) ? spec.imagePullSecrets : [];
  if (!secrets.some((secret) => fieldsOf(secret)?.name === pullSecretName))
    spec.imagePullSecrets = [...secrets, { name: pullSecretName }];
}

function namelessListProblem(object: KubeObject): string | undefined {
  return object.kind === "List" && object.apiVersion === "v1"
    ? "a List is not an object itself; use separate documents"
    : undefined;
}
