import { waitFor } from "../harness/waitFor.ts";
import { walkedOlder } from "./operationRecord.ts";
import type { Call } from "./walk.ts";

/** A task by the older API, into the environment `dev`; the user `uid` would have to approve it. */
export async function walkLegacy(call: Call, uid: string): Promise<void> {
  const path = "/api/directory/workflowTask";
  const approve_users = [{ user_id: uid }];
  await call("POST /openapi/workflows/custom", {
    body: {
      ...{ name: walkedOlder, project: "walk" },
      stages: [
        {
          name: "ask",
          jobs: [
            {
              ...{ name: "ask", type: "approval" },
              spec: { type: "native", native_approval: { needed_approvers: 1, approve_users } },
            },
          ],
        },
        { name: "ship", jobs: [{ name: "ship", type: "zadig-deploy", spec: { env: "dev", source: "runtime" } }] },
      ],
    },
  });
  const { task_id } = await call<{ task_id: number }>(`POST ${path}/create`, {
    body: {
      ...{ workflow_name: walkedOlder, env_name: "dev" },
      release_images: [{ image: "nginx:7", service_name: "web", service_module: "main" }],
    },
  });
  const one = { params: { id: String(task_id), pipelineName: walkedOlder } };
  await call(`GET ${path}`, { query: { commitId: "0123abcd" } });
  await call(`GET ${path}/id/{id}/pipelines/{pipelineName}`, one);
  const isOver = async () => {
    await call(`POST ${path}/id/{id}/pipelines/{pipelineName}/cancel`, one);
    const query = { workflowKey: walkedOlder, taskId: String(task_id) };
    const { end_time } = await call<{ end_time?: number }>("GET /openapi/workflows/custom/task", { query });
    return (end_time ?? 0) > 0;
  };
  await waitFor("the task to be over", isOver);
  await call(`POST ${path}/id/{id}/pipelines/{pipelineName}/restart`, one);
  await waitFor("the task to be over again", isOver);
}
