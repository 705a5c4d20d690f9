import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";

/** A small chart: a workload, its settings, and a hook, with an image in its values. */
export const chartFiles = (version: string): Record<string, string> => ({
  "Chart.yaml": `apiVersion: v2\nname: web\nversion: ${version}\n`,
  "values.yaml": "replicaCount: 1\nfail: false\nimage:\n  repository: registry.example.com/team/web\n  tag: v1\n",
  "values.schema.json": JSON.stringify({ type: "object", properties: { replicaCount: { type: "integer" } } }),
  "templates/deployment.yaml": `{{- if .Values.fail }}{{ fail "asked to fail" }}{{ end }}
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  replicas: {{ .Values.replicaCount }}
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec:
      containers:
        - name: main
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
`,
  "templates/settings.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-settings}
data: {color: {{ .Values.color | default "grey" | quote }}}
`,
});

export async function packedChart(files: Record<string, string | Buffer>, folder = "web"): Promise<Buffer> {
  const entries = Object.entries(files).map(([path, content]) => {
    const body = Buffer.from(content);
    return { header: { name: `${folder}/${path}`, size: body.length }, body };
  });
  return gzipSync(await packTar(entries));
}
