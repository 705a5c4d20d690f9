import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { LiveObject } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { localClusterId } from "../harness/boutique.ts";
import { makeChartProject, readStoredChart } from "../harness/chartProject.ts";
import { chartFiles } from "../harness/packedChart.ts";
import type { Slipway } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";

/** A value that stands nowhere by chance and needs escaping in JSON. */
const mark = (): string => `mark"${randomBytes(12).toString("hex")}`;

/** Values of Secrets, by where they were put. */
export const marks = {
  config: mark(),
  formerConfig: mark(),
  service: mark(),
  formerService: mark(),
  literal: mark(),
  chart: mark(),
  kubectl: mark(),
  drifted: mark(),
  version: mark(),
  patch: mark(),
  patchParam: mark(),
};
export type Mark = keyof typeof marks;

/** Which marks a text holds: in clear, in base64 at each place where it may begin, and either within JSON. */
export function marksIn(text: string): Mark[] {
  return (Object.keys(marks) as Mark[]).filter((name) => spellings(marks[name]).some((one) => text.includes(one)));
}

function spellings(text: string): string[] {
  const escaped = JSON.stringify(text).slice(1, -1);
  const twice = JSON.stringify(escaped).slice(1, -1);
  const encoded = [0, 1, 2].map((shift) =>
    Buffer.from("x".repeat(shift) + text)
      .toString("base64")
      .slice(4, -4),
  );
  return [text, escaped, twice, encodeURIComponent(text), ...encoded];
}

export const kinds = [
  { env: "dev", prefix: "/openapi/environments", services: "/openapi/service/yaml", production: false },
  {
    ...{ env: "prod", prefix: "/openapi/environments/production", production: true },
    services: "/openapi/service/yaml/production",
  },
] as const;

/** As Kubernetes keeps the object that kubectl applied. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

function secretYaml(name: string, value: string, more: object = {}): string {
  const metadata = { name, annotations: { copy: `it is ${value}` } };
  return JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata, stringData: { password: value }, ...more });
}

/** The text of a service: a Secret with a value, one with a literal in the template, and a workload. */
function serviceYaml(value: string): string {
  const workload = {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "login" } },
    spec: {
      selector: { matchLabels: { app: "login" } },
      template: { metadata: { labels: { app: "login" } }, spec: { containers: [{ name: "main", image: "login:1" }] } },
    },
  };
  const literal = `apiVersion: v1\nkind: Secret\nmetadata: {name: literal}\nstringData:\n  key: {{ printf "%q" ${JSON.stringify(marks.literal)} }}\n`;
  return [secretYaml("login", value), literal, JSON.stringify(workload)].join("\n---\n");
}

/** Two projects with environments of both kinds that hold Secrets wherever a Secret can come from. */
export async function makeSecretProject(slipway: Slipway): Promise<void> {
  const ok = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await slipway.call<T>(method, path, { body });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
    return answer.json;
  };
  const running = (project: string, { prefix, env }: { prefix: string; env: string }) =>
    waitFor(`${project} ${env} to run`, async () => {
      const { json } = await slipway.call<{ status: string }>("GET", `${prefix}/${env}?projectKey=${project}`);
      return json.status === "running";
    });
  const place = { cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" };
  await ok("POST", "/openapi/projects/project", { project_name: "V", project_key: "veil", project_type: "yaml" });
  const text = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  const client = connect({ kind: "kubeconfig", text, trusted: true });
  for (const kind of kinds) {
    const { prefix, services, env } = kind;
    await ok("POST", `${services}/raw?projectKey=veil`, {
      ...{ service_name: "login", yaml: serviceYaml(marks.formerService) },
    });
    const service_list = [{ service_name: "login" }];
    const namespace = `veil-${env}`;
    await ok("POST", `${prefix}?projectKey=veil`, { env_key: env, namespace, ...place });
    await waitFor("the environment to be made", async () => {
      const { json } = await slipway.call<{ status: string }>("GET", `${prefix}/${env}?projectKey=veil`);
      return json.status === "running" || json.status === "succeeded";
    });
    await ok("POST", `${prefix}/service/yaml?projectKey=veil`, { env_key: env, service_list });
    await running("veil", kind);
    await ok("PUT", `${services}/login?projectKey=veil`, { type: "k8s", yaml: serviceYaml(marks.service) });
    await ok("PUT", `${prefix}/service/yaml?projectKey=veil`, { env_key: env, service_list });
    await running("veil", kind);
    const config = (value: string) => ({
      ...{ name: "held", common_env_cfg_type: "Secret", env_key: env, yaml_data: secretYaml("held", value) },
    });
    await ok("POST", `${prefix}/${env}/envcfgs?projectKey=veil`, config(marks.formerConfig));
    await ok("PUT", `${prefix}/envcfgs?projectKey=veil`, config(marks.config));
    await ok("POST", `${prefix}/${env}/service/login/versions/1/rollback?projectKey=veil`);
    await running("veil", kind);
    const made = JSON.parse(secretYaml("kubectl", marks.kubectl)) as LiveObject;
    const annotations = { ...made.metadata.annotations, [lastApplied]: JSON.stringify(made) };
    await client.apply({ ...made, metadata: { ...made.metadata, namespace, annotations } }, { force: true });
  }
  await ok("POST", "/openapi/delivery/releases/k8s", {
    ...{ project_key: "veil", version_name: "sent", source: "manual" },
    services: [{ service_name: "login", images: [], yaml_content: secretYaml("login", marks.version) }],
  });
  await ok("POST", "/openapi/delivery/releases/k8s", {
    ...{ project_key: "veil", version_name: "taken", source: "from_env", env_name: "dev" },
    services: [{ service_name: "login", images: [] }],
  });
  await makeWorkflow(ok);
  await makePatch(ok);
  for (const { env } of kinds) {
    const drifted = JSON.parse(secretYaml("login", marks.drifted)) as LiveObject;
    await client.apply({ ...drifted, metadata: { ...drifted.metadata, namespace: `veil-${env}` } }, { force: true });
  }
  client.close();
  const template = `apiVersion: v1\nkind: Secret\nmetadata: {name: {{ .Release.Name }}}\nstringData:\n  key: {{ printf "%q" ${JSON.stringify(marks.chart)} }}\n`;
  await makeChartProject(slipway, "veil-charts", { ...chartFiles("1.0.0"), "templates/secret.yaml": template });
  for (const kind of kinds) {
    await readStoredChart(slipway, "veil-charts", { service_name: "web", production: kind.production });
    const environment = { env_name: kind.env, namespace: `veil-charts-${kind.env}`, production: kind.production };
    await ok("POST", "/openapi/environments/helm?projectKey=veil-charts", { ...environment, ...place });
    await waitFor("the environment to be made", async () => {
      const path = `${kind.prefix}/${kind.env}?projectKey=veil-charts`;
      const { json } = await slipway.call<{ status: string }>("GET", path);
      return json.status === "running" || json.status === "succeeded";
    });
    const services = [{ service_name: "web", values_yaml: "color: blue" }];
    await ok("POST", `/openapi/environments/helm/${kind.env}/services?projectKey=veil-charts`, { services });
    await running("veil-charts", kind);
  }
}

type Ok = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** A workflow that deploys the service, and a task of it. */
async function makeWorkflow(ok: Ok): Promise<void> {
  const deploy = {
    ...{ name: "put", type: "zadig-deploy" },
    spec: { env: "dev", source: "runtime", deploy_contents: ["config"], services: [] },
  };
  await ok("POST", "/openapi/workflows/custom", {
    ...{ name: "ship", display_name: "Ship", project: "veil" },
    stages: [{ name: "put", jobs: [deploy] }],
  });
  await ok("POST", "/openapi/workflows/custom/task", {
    ...{ project_key: "veil", workflow_key: "ship" },
    inputs: [
      {
        ...{ job_name: "put", job_type: "zadig-deploy" },
        parameters: { env_name: "dev", service_list: [{ service_name: "login" }] },
      },
    ],
  });
  await waitFor("the task to end", async () => {
    const path = "/openapi/workflows/custom/task?projectKey=veil&workflowKey=ship&taskId=1";
    const { status } = await ok<{ status: string }>("GET", path);
    return status === "passed" || status === "failed";
  });
}

const target = { resource_name: "held", resource_kind: "Secret", resource_version: "v1" };

/** How a workflow that patches a Secret is started. */
export const patchInput = {
  ...{ job_name: "patch", job_type: "k8s-resource-patch" },
  parameters: { target_list: [{ ...target, inputs: [{ key: "more", value: marks.patchParam }] }] },
};

/** What a workflow patches a Secret with: refused by the cluster, which repeats it, and what the Secret holds. */
export const patchJob = {
  ...{ name: "patch", type: "k8s-resource-patch" },
  spec: {
    ...{ cluster_id: localClusterId, namespace: "veil-dev" },
    patch_items: [
      {
        ...{ ...target, patch_strategy: "merge", params: [{ name: "more", value: marks.patchParam }] },
        patch_content: JSON.stringify({ data: { other: `${marks.patch}!` }, stringData: { more: "{{.more}}" } }),
      },
    ],
  },
};

/** A workflow that patches a Secret, and a task of it. */
async function makePatch(ok: Ok): Promise<void> {
  await ok("POST", "/openapi/workflows/custom", {
    ...{ name: "mend", display_name: "Mend", project: "veil", stages: [{ name: "mend", jobs: [patchJob] }] },
  });
  await ok("POST", "/openapi/workflows/custom/task", {
    ...{ project_key: "veil", workflow_key: "mend", inputs: [patchInput] },
  });
  await waitFor("the task to fail", async () => {
    const path = "/openapi/workflows/custom/task?projectKey=veil&workflowKey=mend&taskId=1";
    return (await ok<{ status: string }>("GET", path)).status === "failed";
  });
}
