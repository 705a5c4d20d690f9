import { wellKnownResources } from "../../kube/client/wellKnownResources.ts";
import { forbiddenNamespaces } from "../../kube/namespaces.ts";
import { clusterScopeProblem } from "../../kube/scopeRules.ts";
import { isRecord, type KubeObject } from "../../manifest/schema/kubeObject.ts";

const subdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const label = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;
const rules = "lower-case letters, digits and hyphens, with a letter or digit at both ends";

/** Why Kubernetes would not take the name of an object; undefined when it would. Rules as the API server has them. */
function nameProblem({ apiVersion, kind, metadata: { name } }: KubeObject): string | undefined {
  const subject = `${kind} "${name}"`;
  if (apiVersion.startsWith("rbac.authorization.k8s.io/"))
    return /^\.{1,2}$|[/%]/.test(name) ? `${subject}: a name may not be . or .., nor contain / or %` : undefined;
  if (kind === "Service" && apiVersion === "v1")
    return label.test(name) && name.length <= 63
      ? undefined
      : `${subject}: the name of a Service has at most 63 ${rules}, and begins with a letter`;
  if (subdomain.test(name) && name.length <= 253) return undefined;
  return `${subject}: a name has at most 253 ${rules}; dots may separate its parts`;
}

/** Kinds of the whole cluster beside the well-known ones, whose scope needs no cluster to tell. */
const moreClusterKinds = new Set([
  "admissionregistration.k8s.io/MutatingWebhookConfiguration",
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration",
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy",
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding",
  "apiregistration.k8s.io/APIService",
  "certificates.k8s.io/CertificateSigningRequest",
  "flowcontrol.apiserver.k8s.io/FlowSchema",
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration",
  "node.k8s.io/RuntimeClass",
  "storage.k8s.io/CSIDriver",
  "storage.k8s.io/CSINode",
  "storage.k8s.io/VolumeAttachment",
]);

/**
 * Everything that an environment would refuse of a service's objects whatever its cluster is: kinds that may not be
 * applied, names that Kubernetes does not take, objects listed twice, namespaces that no one environment has. A name
 * that is not filled in yet says nothing.
 * @param allowed cluster-scoped kinds
 */
export function manifestProblems(objects: readonly KubeObject[], allowed: readonly string[]): string[] {
  const seen = new Set<string>();
  const single = objects.flatMap((object) => {
    const { apiVersion, kind, metadata } = object;
    const filled = isFilled(metadata.name);
    const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
    const key = `${group}/${kind} ${metadata.name}`;
    const problems = [
      isOfCluster(object) ? clusterScopeProblem({ apiVersion, kind, name: metadata.name }, allowed) : undefined,
      filled ? nameProblem(object) : undefined,
      ...base64Problems(object),
      filled && seen.has(key) ? `${kind} "${metadata.name}" stands twice in the manifest` : undefined,
    ];
    seen.add(key);
    return problems.filter((problem) => problem !== undefined);
  });
  return [...single, ...namespaceProblems(objects)];
}

/** Whether a text waits for no value, of a variable or of the environment. */
function isFilled(text: string): boolean {
  return !/\$|<no value>/.test(text);
}

/** All objects of a service go to the namespace of its environment, so they cannot name two, nor one of the system. */
function namespaceProblems(objects: readonly KubeObject[]): string[] {
  const named = new Map<string, string>();
  for (const object of objects) {
    const { namespace = "", name } = object.metadata;
    if (namespace === "" || !isFilled(namespace) || isOfCluster(object) || named.has(namespace)) continue;
    named.set(namespace, `${object.kind} "${name}" is in namespace ${namespace}`);
  }
  const forbidden = [...named].filter(([namespace]) => forbiddenNamespaces.includes(namespace));
  if (forbidden.length > 0)
    return forbidden.map(([, where]) => `${where}, which cannot hold an environment; omit the namespace`);
  if (named.size < 2) return [];
  return [`${[...named.values()].join(", ")}; a service has one namespace, its environment's: leave the namespace out`];
}

/** A Namespace is judged where the environment's own is known. */
function isOfCluster({ apiVersion, kind }: KubeObject): boolean {
  if (kind === "Namespace") return false;
  const known = wellKnownResources.get(`${apiVersion}/${kind}`);
  return known === undefined ? moreClusterKinds.has(`${apiVersion.split("/")[0]}/${kind}`) : !known.namespaced;
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Values of Secrets and binary ones of ConfigMaps that cannot be decoded; the values themselves are not told. */
function base64Problems({ apiVersion, kind, metadata, ...fields }: KubeObject): string[] {
  const field = apiVersion !== "v1" ? undefined : { Secret: "data", ConfigMap: "binaryData" }[kind];
  const values = field === undefined ? undefined : fields[field];
  if (!isRecord(values)) return [];
  const wrong = Object.entries(values).filter(([, value]) => {
    return typeof value === "string" && isFilled(value) && !base64.test(value.replace(/[\r\n]/g, ""));
  });
  const instead = kind === "Secret" ? "encode it, or give the text itself under stringData" : "encode it";
  return wrong.map(([key]) => `${kind} "${metadata.name}": ${field}.${key} is not base64; ${instead}`);
}
