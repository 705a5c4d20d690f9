import type { KubeObject } from "./schema/kubeObject.ts";

const subdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const label = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;
const rules = "lower-case letters, digits and hyphens, with a letter or digit at both ends";

/** Why Kubernetes would not take the name of an object; undefined when it would. Rules as the API server has them. */
export function nameProblem({ apiVersion, kind, metadata: { name } }: KubeObject): string | undefined {
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
