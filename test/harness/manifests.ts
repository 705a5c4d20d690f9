/** Service YAML for tests that need little: JSON is YAML. */
export function deploymentYaml(name: string, image: string): string {
  const labels = { app: name };
  const containers = [{ name: "main", image }];
  const template = { metadata: { labels }, spec: { containers } };
  const spec = { selector: { matchLabels: labels }, template };
  return JSON.stringify({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec });
}

/** Pods, and the Service that leads to them. */
export function servedYaml(name: string, replicas = 2): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: main, image: "${name}:1" }] }
---
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { selector: { app: ${name} }, ports: [{ port: 80 }] }
`;
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
