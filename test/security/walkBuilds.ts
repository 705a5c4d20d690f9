import type { Call } from "./walk.ts";

const query = { projectKey: "walk" };

/** Builds and build templates, each endpoint at least once. */
export async function walkBuilds(call: Call, secret: string): Promise<void> {
  const host = { type: "gitea", address: "https://git.example.com", auth_type: "token", access_token: secret };
  const { id } = await call<{ id: number }>("POST /api/aslan/system/codehosts", { body: { ...host, alias: "builds" } });
  const repo_info = [{ codehost_name: "builds", repo_namespace: "team", repo_name: "web", branch: "main" }];
  const script = {
    infrastructure: "kubernetes",
    build_os: "ubuntu 20.04",
    installs: [{ name: "node", version: "24" }],
    script_type: "shell",
    build_script: "make image",
    repo_info,
    parameters: [{ key: "TOKEN", type: "string", default_value: secret, is_credential: true }],
  };
  const services = [{ service_name: "web", service_module: "main" }];
  const build = { name: "web-build", project_key: "walk", ...script, services };
  await call("POST /openapi/build", { body: build });
  await call("PUT /openapi/build", { body: { ...build, build_script: "make all" } });
  await call("GET /openapi/build", { query });
  await call("GET /openapi/build/{buildName}/detail", { params: { buildName: "web-build" }, query });
  await call("DELETE /openapi/build", { query: { ...query, name: "web-build" } });
  await walkTemplates(call, { name: "image", ...script }, repo_info, secret);
  await call("DELETE /api/aslan/system/codehosts/{id}", { params: { id: String(id) } });
}

async function walkTemplates(
  call: Call,
  template: Record<string, unknown>,
  repo_info: unknown,
  secret: string,
): Promise<void> {
  const path = "/api/aslan/template/build";
  const { id } = await call<{ id: string }>(`POST ${path}`, { body: template });
  await call(`GET ${path}`);
  await call(`GET ${path}/{id}`, { params: { id } });
  await call(`PUT ${path}/{id}`, { params: { id }, body: template });
  const inputs = [{ key: "TOKEN", value: secret }];
  const target_services = [{ service_name: "web", service_module: "main", repo_info, inputs }];
  const body = { name: "from-template", project_key: "walk", template_name: "image", target_services };
  await call("POST /openapi/build", { query: { source: "template" }, body });
  const params = { buildName: "from-template" };
  await call("PUT /openapi/build/{buildName}/template", { params, body });
  const asked = { ...query, serviceName: "web", serviceModule: "main" };
  await call("GET /openapi/build/{buildName}/detail", { params, query: asked });
  await call("DELETE /openapi/build", { query: { ...query, name: "from-template" } });
  await call(`DELETE ${path}/{id}`, { params: { id } });
}
