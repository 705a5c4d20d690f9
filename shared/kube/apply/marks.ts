/** Labels and annotations that the platform writes (decisions 5.4, contract P 16.1). */
export const environmentLabel = "slipway.dev/environment";
export const serviceLabel = "slipway.dev/service";
/** On a namespace that Slipway made, and on objects in test environments: the project (contract P 16.1). */
export const projectLabel = "s-product";
/** On a namespace: the Pod Security Standard that the API server's admission enforces. */
export const enforceLabel = "pod-security.kubernetes.io/enforce";
/** On objects that only route calls: the environment in whose namespace they stand (decisions 11.13). */
export const ownerLabel = "slipway.dev/owner";
/** On a revision of a release: the change of an environment that brought it in whole. */
export const changeLabel = "slipway.dev/change";
export const contentHashAnnotation = "slipway.dev/content-hash";
/** Helm's own word, on an object that its release may not take along: `keep`. */
export const policyAnnotation = "helm.sh/resource-policy";
/** Helm's own word on an object that it creates at a moment of a release. */
export const hookAnnotation = "helm.sh/hook";
/** Helm's own words on an object of a release; only what bears them may become part of it later. */
export const releaseNameAnnotation = "meta.helm.sh/release-name";
export const releaseNamespaceAnnotation = "meta.helm.sh/release-namespace";
export const managedByLabel = "app.kubernetes.io/managed-by";
/** On a namespace: its pods get the proxy of Istio. */
export const injectionLabel = "istio-injection";
/** On a namespace: the environment it was made for. Only such namespaces are ever deleted. */
export const madeForAnnotation = "slipway.dev/made-for-environment";
export const pullSecretName = "default-registry-secret";
/** It holds the password of the registry, so it is Slipway's own: no endpoint and no job reads or writes it (decisions 17.5). */
export const pullSecretSentence = `${pullSecretName} is managed by Slipway; change the registry instead`;

export function isPullSecret({ kind, name }: { kind: string; name: string }): boolean {
  return kind === "Secret" && name === pullSecretName;
}

export const fieldManager = "slipway";
/** Under which Helm applies (decisions 11.5). */
export const helmFieldManager = "helm";
/** On an object that a job patched by a list of operations: which patch of which try it has. */
export const patchAnnotation = "slipway.dev/json-patch";
/** On what a rollout makes beside a workload: the task that rolls out (decisions 12.1). */
export const rolloutLabel = "slipway.dev/rollout";
/** On a workload that a gray release made new: what it was before, so that it can be rolled back. */
export const grayOriginAnnotation = "slipway.dev/gray-origin";
/** The same of a release by Istio. */
export const istioOriginAnnotation = "slipway.dev/istio-origin";
/** On pods of a workload that Istio releases: whether they are the workload's or stand beside it (decisions 12.4). */
export const releaseLabel = "slipway.dev/release";
/** On a VirtualService whose calls a release shifts: its routes of before, by workload. */
export const formerRoutesAnnotation = "slipway.dev/former-routes";
