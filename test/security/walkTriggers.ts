import { gate } from "../harness/tasks.ts";
import { walkedWorkflow } from "./operationRecord.ts";
import type { Call } from "./walk.ts";

const root = "/api/aslan/workflow/v4";
const named = { workflowName: walkedWorkflow };

/** Triggers of the walked workflow, each endpoint at least once; they are off, so that no task comes of them. */
export async function walkTriggers(call: Call, secret: string): Promise<void> {
  const hook = { name: "ci", enabled: false, secret };
  await call(`POST ${root}/generalhook/{workflowName}`, { params: named, body: hook });
  await call(`PUT ${root}/generalhook/{workflowName}`, { params: named, body: { ...hook, description: "changed" } });
  await call(`GET ${root}/generalhook/{workflowName}`, { params: named });
  await call(`GET ${root}/generalhook/{workflowName}/preset`, { params: named });
  const { delivery_id } = await call<{ delivery_id: string }>(
    `POST ${root}/generalhook/{workflowName}/{hookName}/webhook`,
    {
      params: { ...named, hookName: "ci" },
      headers: { "x-slipway-token": secret },
      body: { tag: "v1" },
    },
  );
  await call(`GET ${root}/triggerdelivery/{workflowName}`, { params: named });
  await call(`POST ${root}/triggerdelivery/{workflowName}/{deliveryId}/replay`, {
    params: { ...named, deliveryId: delivery_id },
  });
  await call(`DELETE ${root}/generalhook/{workflowName}/{hookName}`, { params: { ...named, hookName: "ci" } });

  const jira = { ...hook, name: "issues", events: ["jira:issue_updated"] };
  await call(`POST ${root}/jirahook/{workflowName}`, { params: named, body: jira });
  await call(`PUT ${root}/jirahook/{workflowName}`, { params: named, body: { ...jira, project_keys: ["SHOP"] } });
  await call(`GET ${root}/jirahook/{workflowName}`, { params: named });
  await call(`GET ${root}/jirahook/{workflowName}/preset`, { params: named });
  const ofJira = { ...named, hookName: "issues" };
  await call(`POST ${root}/jirahook/{workflowName}/{hookName}/webhook`, {
    params: ofJira,
    headers: { "x-slipway-token": secret },
    body: { webhookEvent: "jira:issue_updated", issue: { key: "SHOP-1", fields: { project: { key: "SHOP" } } } },
  });
  await call(`DELETE ${root}/jirahook/{workflowName}/{hookName}`, { params: ofJira });

  const { id } = await call<{ id: number }>("POST /api/aslan/system/codehosts", {
    body: {
      ...{
        type: "gitlab",
        address: "https://walk.example.com",
        alias: "walked",
        auth_type: "token",
        access_token: secret,
      },
      webhook_secret: secret,
    },
  });
  const main_repo = { codehost_id: id, repo_namespace: "team", repo_name: "web", events: ["push"] };
  const git = { name: "pushed", enabled: false, main_repo };
  await call(`POST ${root}/webhook/{workflowName}`, { params: named, body: git });
  await call(`PUT ${root}/webhook/{workflowName}`, { params: named, body: { ...git, description: "changed" } });
  await call(`GET ${root}/webhook`, { query: named });
  await call(`GET ${root}/webhook/preset`, { query: named });
  await call("POST /api/aslan/webhook", {
    headers: { "x-gitlab-event": "Push Hook", "x-gitlab-token": secret },
    body: {
      ...{ object_kind: "push", ref: "refs/heads/main", after: "a".repeat(40) },
      project: { path_with_namespace: "team/web", web_url: "https://walk.example.com/team/web" },
    },
  });
  await call(`DELETE ${root}/webhook/{workflowName}/trigger/{name}`, { params: { ...named, name: "pushed" } });

  await call("POST /openapi/workflows/custom", {
    body: { name: "followed", project: "walk", stages: [{ name: "one", jobs: [gate("a")] }] },
  });
  const after = { name: "after", enabled: false, workflow_key: "followed" };
  await call(`POST ${root}/workflowhook/{workflowName}`, { params: named, body: after });
  await call(`PUT ${root}/workflowhook/{workflowName}`, { params: named, body: { ...after, statuses: ["failed"] } });
  await call(`GET ${root}/workflowhook/{workflowName}`, { params: named });
  await call(`GET ${root}/workflowhook/{workflowName}/preset`, { params: named });
  await call(`DELETE ${root}/workflowhook/{workflowName}/{hookName}`, { params: { ...named, hookName: "after" } });

  const cron = { name: "nightly", enabled: false, cron: "0 2 * * *", time_zone: "UTC" };
  await call(`POST ${root}/cron/{workflowName}`, { params: named, body: cron });
  await call(`PUT ${root}/cron/{workflowName}`, { params: named, body: { ...cron, cron: "0 3 * * *" } });
  await call(`GET ${root}/cron`, { query: named });
  await call(`GET ${root}/cron/preset`, { query: named });
  await call(`DELETE ${root}/cron/{workflowName}/trigger/{name}`, { params: { ...named, name: "nightly" } });
}
