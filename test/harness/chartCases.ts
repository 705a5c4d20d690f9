import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect } from "vitest";
import type { ClusterClient, LiveObject, ObjectRef } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { findObject } from "../../shared/kube/client/findObject.ts";
import { detailOf } from "./boutique.ts";
import { type HelmCommand, helmCommand, makeChartEnvironment, readStoredChart, untilChanged } from "./chartProject.ts";
import type { Standing } from "./environmentSuite.ts";
import { packedChart } from "./packedChart.ts";
import type { Answer, Slipway } from "./slipway.ts";

const folder = join(import.meta.dirname, "../../../shared/cases/charts");
const servicePath = "/openapi/environments/helm/dev/services";

interface Drift {
  in_sync: boolean;
  objects: { kind: string; name: string; state: string; fields: { path: string; live: unknown }[] }[];
}

interface Preview {
  objects: { kind: string; name: string; action: string; diff: string; note?: string }[];
}

/** A chart of the cases, by path; without its `case.json`, which Helm would take along harmlessly. */
export function caseFiles(name: string): Record<string, string> {
  const at = join(folder, name);
  const paths = readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "case.json")
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [relative(at, path), readFileSync(path, "utf8")]));
}

/** A small chart of our own. */
export function chartOf(name: string, templates: Record<string, string>, values = ""): Record<string, string> {
  const files = Object.entries(templates).map(([file, text]) => [`templates/${file}.yaml`, text]);
  const head = { "Chart.yaml": `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`, "values.yaml": values };
  return { ...head, ...Object.fromEntries(files) };
}

/** A project of charts with one environment, driven by HTTP, beside Helm's own command. */
export interface ChartCases {
  slipway: Slipway;
  client: ClusterClient;
  project: string;
  namespace: string;
  helm(...args: string[]): Promise<string>;
  /** Folder of a chart for the command. */
  folderOf: HelmCommand["folderOf"];
  call<T>(method: string, path: string, body?: object): Promise<T>;
  /** Makes a service of a chart. */
  make(service: string, files: Record<string, string>): Promise<void>;
  send(service: object): Promise<Answer<unknown>>;
  /** Deploys and waits. @returns its error */
  deploy(service: string, values?: string, more?: object): Promise<string>;
  preview(service: string, values?: string): Promise<Preview["objects"]>;
  drift(): Promise<Drift>;
  removal(service: string): Promise<Preview["objects"]>;
  /** @returns the messages of the warnings */
  remove(service: string): Promise<string[]>;
  rollback(service: string, version: number, dryRun?: boolean): Promise<Preview["objects"]>;
  find(ref: Omit<ObjectRef, "namespace">): Promise<LiveObject | undefined>;
  close(): Promise<void>;
}

export async function openChartCases(open: () => Promise<Standing>): Promise<ChartCases> {
  const { slipway, kubeconfig } = await open();
  const client = connect({ kind: "kubeconfig", text: kubeconfig, trusted: true });
  const command = helmCommand(kubeconfig);
  const project = `cases-${randomBytes(3).toString("hex")}`;
  const namespace = `slipway-test-${project}`;
  const body = { project_name: project, project_key: project, is_public: false, project_type: "helm" };
  expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
  await makeChartEnvironment(slipway, project, { env_name: "dev", namespace });
  await untilChanged(slipway, project, "dev");

  const at = (path: string) => `${path}${path.includes("?") ? "&" : "?"}projectKey=${project}`;
  async function call<T>(method: string, path: string, sent?: object): Promise<T> {
    const answer = await slipway.call<T>(method, at(path), { body: sent });
    expect(answer.status, answer.text).toBe(200);
    return answer.json;
  }
  const requested = (service: string, values: string | undefined, more: object = {}) => ({
    services: [{ service_name: service, ...(values !== undefined && { values_yaml: values }), ...more }],
  });
  const removing = (service: string) => ({ env_key: "dev", service_names: [service] });
  return {
    ...{ slipway, client, project, namespace, call },
    folderOf: command.folderOf,
    helm: (...args) => command.run(namespace, ...args),
    async make(service, files) {
      const name = `${project}-${service}`;
      const template = { name, source: "upload" };
      expect((await slipway.call("POST", "/api/aslan/template/charts", { body: template })).status).toBe(200);
      const content = (await packedChart(files, service)).toString("base64");
      const upload = `/api/aslan/template/charts/${name}/upload`;
      const answer = await slipway.call("POST", upload, { body: { content } });
      expect(answer.status, answer.text).toBe(200);
      await readStoredChart(slipway, project, { service_name: service, template_name: name });
    },
    send: (service) => slipway.call("POST", at(servicePath), { body: { services: [service] } }),
    async deploy(service, values, more) {
      await call("POST", servicePath, requested(service, values, more));
      await untilChanged(slipway, project, "dev");
      const { services } = await detailOf(slipway, project, "dev");
      return services.find(({ service_name }) => service_name === service)?.error ?? "it is not in the environment";
    },
    preview: async (service, values) =>
      (await call<Preview>("POST", `${servicePath}?dryRun=true`, requested(service, values))).objects,
    drift: () => call("GET", "/openapi/environments/dev/drift"),
    removal: async (service) =>
      (await call<Preview>("DELETE", "/openapi/environments/service/yaml?dryRun=true", removing(service))).objects,
    async remove(service) {
      const path = "/openapi/environments/service/yaml";
      const { warnings = [] } = await call<{ warnings?: { message: string }[] }>("DELETE", path, removing(service));
      await untilChanged(slipway, project, "dev");
      return warnings.map(({ message }) => message);
    },
    async rollback(service, version, dryRun = false) {
      const path = `/openapi/environments/dev/service/${service}/versions/${version}/rollback?dryRun=${dryRun}`;
      const { objects } = await call<Partial<Preview>>("POST", path);
      await untilChanged(slipway, project, "dev");
      return objects ?? [];
    },
    async find(ref) {
      const { namespaced } = await client.resource(ref);
      return findObject(client, namespaced ? { ...ref, namespace } : ref);
    },
    async close() {
      await client.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
      command.close();
      client.close();
      await slipway.close();
    },
  };
}
