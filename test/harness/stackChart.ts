import { packedChart } from "./packedChart.ts";

/** A definition of a kind, as `crds/` of a chart holds it. */
export const kindDefinition = (group: string, kind: string): string => {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${plural}.${group}}
spec:
  group: ${group}
  scope: Namespaced
  names: {kind: ${kind}, plural: ${plural}, singular: ${singular}, listKind: ${kind}List}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: {spec: {type: object, properties: {size: {type: integer}, color: {type: string}}}}
`;
};

const hookJob = (when: string): string => `apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-${when}
  annotations: {helm.sh/hook: ${when}, helm.sh/hook-delete-policy: before-hook-creation}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: hook, image: "registry.example.com/stack/hook:v1", command: ["true"]}]
`;

const deployment = (name: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: "${name}"}
spec:
  replicas: {{ .Values.replicaCount }}
  selector: {matchLabels: {app: "${name}"}}
  template:
    metadata: {labels: {app: "${name}"}}
    spec: {containers: [{name: main, image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"}]}
`;

const values = (name: string): string =>
  `replicaCount: 1\nimage:\n  repository: registry.example.com/stack/${name}\n  tag: v1\n`;

/** A chart that depends on others, packed and not, one of them switched off, with kinds of one group, its own and theirs, and hooks. */
export async function stackChart(group: string): Promise<Record<string, string | Buffer>> {
  const cache = {
    "Chart.yaml": "apiVersion: v2\nname: cache\nversion: 1.0.0\n",
    "values.yaml": values("cache"),
    "crds/entries.yml": kindDefinition(group, "Entry"),
    "templates/deployment.yaml": deployment("{{ .Release.Name }}-cache"),
    "templates/entry.yaml": `apiVersion: ${group}/v1\nkind: Entry\nmetadata: {name: {{ .Release.Name }}}\nspec: {size: 1}\n`,
  };
  return {
    "Chart.yaml": `apiVersion: v2
name: stack
version: 2.1.0
dependencies:
  - {name: cache, version: 1.0.0, condition: cache.enabled}
  - {name: extra, version: 1.0.0, condition: extra.enabled}
`,
    "values.yaml": `${values("stack")}size: 1\ncache: {enabled: true}\nextra: {enabled: false}\n`,
    "crds/widgets.yaml": kindDefinition(group, "Widget"),
    "templates/deployment.yaml": deployment("{{ .Release.Name }}"),
    "templates/widget.yaml": `apiVersion: ${group}/v1\nkind: Widget\nmetadata: {name: {{ .Release.Name }}}\nspec: {size: {{ .Values.size }}}\n`,
    "templates/before.yaml": hookJob("pre-install"),
    "templates/after.yaml": hookJob("post-upgrade"),
    "charts/cache-1.0.0.tgz": await packedChart(cache, "cache"),
    "charts/extra/Chart.yaml": "apiVersion: v2\nname: extra\nversion: 1.0.0\n",
    "charts/extra/crds/extras.yaml": kindDefinition(group, "Extra"),
  };
}
