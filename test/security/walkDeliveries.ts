import { findUsersByAccount } from "../../shared/access/identity/store/users.ts";
import { startWorkflow } from "../../shared/workflows/tasks/start/startWorkflow.ts";
import { passing } from "../harness/passingApprovals.ts";
import type { Call } from "./walk.ts";

/** What was sent about a task in the project `walk`. */
export async function walkDeliveries(call: Call): Promise<void> {
  const approval = { name: "ask", type: "approval", spec: passing };
  const nowhere = { webhook_type: "webhook", webhook_notification_config: { address: "https://10.0.0.1" } };
  const notify_ctls = [{ enabled: true, notify_type: ["created"], ...nowhere }];
  const stages = [{ name: "gate", jobs: [approval] }];
  await call("POST /api/aslan/workflow/v4", { body: { name: "told", project: "walk", stages, notify_ctls } });
  const [user] = await findUsersByAccount("admin");
  const admin = { uid: user?.uid ?? "", name: "admin", account: "admin" };
  const taskId = await startWorkflow("walk", "told", { params: [], inputs: [], notifyInputs: [] }, admin);
  const query = { projectKey: "walk", workflowKey: "told", taskId: String(taskId) };
  await call("GET /api/aslan/workflow/v4/deliveries", { query });
}
