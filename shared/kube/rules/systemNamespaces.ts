export const systemNamespaces = ["kube-system", "kube-public", "kube-node-lease"];

/** Why an environment may not stand in a namespace (decisions 5.7); undefined when it may. */
export function namespaceProblem(namespace: string, jobsNamespace = "slipway-jobs"): string | undefined {
  if (systemNamespaces.includes(namespace)) return `namespace ${namespace} belongs to Kubernetes; choose another one`;
  if (namespace === jobsNamespace || namespace.startsWith(`${jobsNamespace}-`))
    return `namespace ${namespace} belongs to the platform's jobs; choose another one`;
  return undefined;
}
