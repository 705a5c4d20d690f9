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

  const cron = { name: "nightly", enabled: false, cron: "0 2 * * *", time_zone: "UTC" };
  await call(`POST ${root}/cron/{workflowName}`, { params: named, body: cron });
  await call(`PUT ${root}/cron/{workflowName}`, { params: named, body: { ...cron, cron: "0 3 * * *" } });
  await call(`GET ${root}/cron`, { query: named });
  await call(`GET ${root}/cron/preset`, { query: named });
  await call(`DELETE ${root}/cron/{workflowName}/trigger/{name}`, { params: { ...named, name: "nightly" } });
}
