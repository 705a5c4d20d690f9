/** Service YAML for tests that need little: JSON is YAML. */
export function deploymentYaml(name: string, image: string): string {
  const labels = { app: name };
  const containers = [{ name: "main", image }];
  const template = { metadata: { labels }, spec: { containers } };
  const spec = { selector: { matchLabels: labels }, template };
  return JSON.stringify({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec });
}

/** Something that belongs to no namespace. */
export function roleYaml(name: string): string {
  return JSON.stringify({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name },
    rules: [],
  });
}
