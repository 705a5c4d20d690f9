import { chartRepositoryAccess } from "../../shared/packaging/charts/chartRepositoryAccess.ts";
import { pushToRegistry } from "../../shared/packaging/charts/pushToRegistry.ts";
import { chartFiles, packedChart } from "../harness/packedChart.ts";
import type { Slipway } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";
import type { Call } from "./walk.ts";

/** A test of the release that passes at once. */
const trial = `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-trial, annotations: {helm.sh/hook: test}}
`;

/** A hook of an upgrade that ends only when the deployment is cancelled. */
const endless = `{{ if .Values.waits }}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-endless
  annotations: {helm.sh/hook: pre-upgrade, helm.sh/hook-delete-policy: "before-hook-creation,hook-failed"}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example.com/hook:missing"}]}}}
{{ end }}
`;

/** A chart from its upload to its releases in an environment of either kind, each call at least once. */
export async function walkCharts(
  slipway: Slipway,
  call: Call,
  place: { token: string | null; cluster_id: string; registry_id: string },
): Promise<void> {
  const { token, ...ids } = place;
  const project = { project_name: "Charts", project_key: "walk-charts", is_public: false, project_type: "helm" };
  await call("POST /openapi/projects/project", { body: project });
  const repositories = "/api/aslan/system/helm";
  const url = `${slipway.runtime.registryAddress}/charts`;
  const { username, password } = slipway.runtime.registryLogin;
  const { id } = await call<{ id: string }>(`POST ${repositories}`, {
    body: { repo_name: "local", url, type: "oci", username, password },
  });
  await call(`POST ${repositories}/{id}/test`, { params: { id } });
  const templates = "/api/aslan/template/charts";
  const params = { name: "web" };
  await call(`POST ${templates}`, { body: { name: "web", source: "upload" } });
  const archive = await packedChart({
    ...chartFiles("1.0.0"),
    "templates/trial.yaml": trial,
    "templates/endless.yaml": endless,
  });
  const content = archive.toString("base64");
  await call(`POST ${templates}/{name}/upload`, { params, body: { content } });
  await call(`PUT ${templates}/{name}`, { params, body: { variables: [{ key: "size", value: "1" }] } });
  await call(`POST ${templates}/{name}/reference`, { params });
  await call(`GET ${templates}`);
  await call("GET /openapi/templates/charts");
  await call(`GET ${templates}/{name}`, { params });
  await call("POST /openapi/projects/project/init/helm", {
    body: {
      ...{ project_name: "Charts in one call", project_key: "charts-at-once" },
      service_list: [{ service_name: "web", source: "template", template_name: "web" }],
      env_list: [],
    },
  });
  const query = { projectKey: "walk-charts" };
  const rules = "/api/aslan/project/products/{name}/searching-rules";
  await call(`PUT ${rules}`, { params: { name: "walk-charts" }, body: { rules: [{ image: "docker.image" }] } });
  await call(`GET ${rules}`, { params: { name: "walk-charts" } });
  const access = chartRepositoryAccess(id, { repoName: "local", url, type: "oci", username }, password);
  const packed = { name: "web", version: "1.0.0", archive };
  await pushToRegistry("local", access, packed, AbortSignal.timeout(10_000));
  const createFrom = { chartRepoName: "local", chartName: "web", chartVersion: "1.0.0" };
  for (const production of [false, true]) {
    const body = { source: "chartRepo", name: "straight", createFrom, production };
    await call("POST /openapi/service/helm/load", { query, body });
  }
  for (const [kind, prefix] of [
    ["charts-dev", "/openapi/environments"],
    ["charts-prod", "/openapi/environments/production"],
  ] as const) {
    const production = kind === "charts-prod";
    const service = { service_name: "web", template_name: "web", production };
    await call("POST /openapi/service/template/load/helm", { query, body: service });
    const environment = { env_name: kind, namespace: `walk-${kind}`, production, ...ids };
    await call("POST /openapi/environments/helm", { query, body: environment });
    const until = (statuses: readonly string[]) =>
      waitFor(`${kind} to be ${statuses.join(" or ")}`, async () => {
        const { json } = await slipway.call<{ status: string }>("GET", `${prefix}/${kind}?projectKey=walk-charts`, {
          token,
        });
        return statuses.includes(json.status);
      });
    const settled = () => until(["running", "succeeded"]);
    await settled();
    const body = { services: [{ service_name: "web", values_yaml: "color: blue" }] };
    await call("POST /openapi/environments/helm/{envName}/services", { params: { envName: kind }, query, body });
    await settled();
    const defaults = { params: { envName: kind }, query };
    await call("PUT /openapi/environments/{envName}/defaultValues", {
      ...{ ...defaults, body: { default_values: "color: green\ntier: gold" } },
    });
    await settled();
    await call("GET /openapi/environments/{envName}/defaultValues", defaults);
    await call(`POST ${prefix}/{envName}/service/{serviceName}/test`, {
      ...{ params: { envName: kind, serviceName: "web" }, query },
    });
    await settled();
    for (const waits of [true, false]) {
      const again = { services: [{ service_name: "web", values_yaml: `waits: ${waits}` }] };
      await call("POST /openapi/environments/helm/{envName}/services", { ...defaults, body: again });
      if (waits)
        await call(`POST ${prefix}/{envName}/service/{serviceName}/cancel`, {
          ...{ params: { envName: kind, serviceName: "web" }, query },
        });
      await until(waits ? ["error", "failed"] : ["running", "succeeded"]);
    }
    await call(`GET ${prefix}/service/values`, { query: { ...query, envName: kind, serviceName: "web" } });
  }
  for (const path of ["/openapi/delivery/releases", "/api/aslan/delivery/releases"]) {
    const version = { project_key: "walk-charts", version_name: `walk ${path}`, source: "manual" };
    const services = [{ service_name: "web", chart_version: "1.1.0" }];
    const places = { image_registry_id: ids.registry_id, chart_repo_name: "local", services };
    await call(`POST ${path}/helm`, { body: { ...version, ...places } });
  }
  const made = { projectName: "walk-charts", version: "walk /openapi/delivery/releases", chartName: "web" };
  const charts = "/api/aslan/delivery/releases/helm/charts";
  await waitFor("the chart to be packed", async () => {
    const path = `${charts}?${new URLSearchParams(made)}`;
    return (await slipway.call("GET", path, { token })).status === 200;
  });
  await call(`GET ${charts}`, { query: made });
  await call(`GET ${charts}/version`, { query: { chartName: "web,new", chartRepoName: "local" } });
  await call(`DELETE ${templates}/{name}`, { params });
  await call("DELETE /openapi/projects/project", { query: { ...query, isDelete: "true" } });
}
