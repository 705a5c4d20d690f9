import type { Call } from "./walk.ts";

/** Workflows and their views in the project `walk`, each endpoint at least once. */
export async function walkWorkflows(call: Call, secret: string): Promise<void> {
  const query = { projectKey: "walk" };
  const path = "/openapi/workflows/view";
  await call(`POST ${path}`, { body: { project_key: "walk", name: "daily" } });
  for (const prefix of ["/openapi/workflows/custom", "/api/aslan/workflow/v4"]) {
    const name = prefix.startsWith("/openapi") ? "open" : "console";
    const workflow = definition(name, secret);
    await call(`POST ${prefix}`, { query: { viewName: "daily" }, body: workflow });
    await call(`PUT ${prefix}/{name}`, { params: { name }, body: { ...workflow, description: "changed" } });
  }
  await call("POST /api/aslan/workflow/v4/lint", { body: definition("linted", secret) });
  await call("GET /openapi/workflows", { query });
  await call("GET /openapi/workflows", { query: { ...query, viewName: "daily" } });
  await call("GET /api/aslan/workflow/v4", { query });
  await call("GET /openapi/workflows/custom/{workflowKey}/detail", { params: { workflowKey: "open" }, query });
  for (const reading of ["name", "preset"])
    await call(`GET /api/aslan/workflow/v4/${reading}/{name}`, { params: { name: "console" }, query });
  const workflow_list = [{ workflow_key: "open", workflow_type: "custom", enabled: false }];
  await call(`PUT ${path}/{viewName}`, { params: { viewName: "daily" }, query, body: { workflow_list } });
  await call(`GET ${path}`, { query });
  await call("DELETE /api/aslan/workflow/v4/{name}", { params: { name: "console" }, query });
  await call(`DELETE ${path}/{viewName}`, { params: { viewName: "daily" }, query });
  await call("DELETE /openapi/workflows/custom", { query: { ...query, workflowKey: "open" } });
}

function definition(name: string, token: string): Record<string, unknown> {
  const webhook = {
    webhook_type: "webhook",
    webhook_notification_config: { address: "https://hook.example.com", token },
  };
  const build = { name: "build", type: "zadig-build", spec: { source: "runtime" } };
  return {
    ...{ name, display_name: `The ${name}`, project: "walk" },
    params: [{ name: "version", type: "string", value: "1" }],
    notify_ctls: [webhook],
    stages: [{ name: "build", jobs: [build] }],
  };
}
