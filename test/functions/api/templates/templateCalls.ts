import { expect } from "vitest";
import { type Answer, type Slipway, startSlipway } from "../../../harness/slipway.ts";

export interface KeyVal {
  key: string;
  value: unknown;
  type: string;
  options?: string[];
  desc?: string;
}

export interface Outcome {
  message: string;
  updated: number;
  failed: { project_key: string; service_name: string; production: boolean; reason: string }[];
  pending: number;
}

export interface ServiceDetail {
  source: string;
  template_name: string;
  yaml: string;
  created_by: string;
  containers: { name: string; image: string }[];
  service_variable_kvs: KeyVal[];
}

export const templates = "/api/aslan/template/yaml";

export const text = (key: string, value: unknown): KeyVal => ({ key, value, type: "string" });

/** A Deployment named after its service, in the words of a template. */
export const content = (image: string, comment = "") => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: $T-Service$
  labels: { project: $T-Project$ }
spec:
  selector: { matchLabels: { app: $T-Service$ } }
  template:
    metadata: { labels: { app: $T-Service$ } }
    spec: { containers: [{ name: main, image: "${image}" }] }
${comment}`;

export interface TemplateCalls extends Slipway {
  create(name: string, content: string, variables?: KeyVal[]): Promise<string>;
  change(id: string, name: string, content: string, variables?: KeyVal[]): Promise<Answer<Outcome>>;
  load(service: string, template: string, rest?: object, kind?: "test" | "production"): Promise<Answer>;
  read(service: string, kind?: "test" | "production", project?: string): Promise<Answer<ServiceDetail>>;
}

/** A Slipway with the YAML projects `demo` and `other`. */
export async function startForTemplates(): Promise<TemplateCalls> {
  const slipway = await startSlipway();
  for (const project_key of ["demo", "other"]) {
    const body = { project_key, project_name: project_key, project_type: "yaml" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
  }
  return {
    ...slipway,
    async create(name, content, service_variable_kvs = []) {
      const body = { name, content, service_variable_kvs };
      const made = await slipway.call<{ message: string; id: string }>("POST", templates, { body });
      expect(made.json).toEqual({ message: "success", id: expect.stringMatching(/^[0-9a-f]{24}$/) });
      return made.json.id;
    },
    change: (id, name, content, service_variable_kvs = []) =>
      slipway.call<Outcome>("PUT", `${templates}/${id}`, { body: { name, content, service_variable_kvs } }),
    load(service_name, template_name, rest = {}, kind = "test") {
      const path = `/openapi/service/template/${kind === "test" ? "" : "production/"}load/yaml`;
      return slipway.call("POST", path, { body: { service_name, project_key: "demo", template_name, ...rest } });
    },
    read(service, kind = "test", project = "demo") {
      const path = `/openapi/service/yaml/${kind === "test" ? "" : "production/"}${service}?projectKey=${project}`;
      return slipway.call<ServiceDetail>("GET", path);
    },
  };
}
