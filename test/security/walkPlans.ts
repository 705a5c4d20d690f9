import { recordDeploying } from "../../shared/environments/store/plannedDeploys.ts";
import { waitFor } from "../harness/waitFor.ts";
import { walkedRelease } from "./operationRecord.ts";
import type { Call } from "./walk.ts";

interface Plan {
  status: string;
  jobs: { id: string; name: string; type: string; status: string; spec: { task_id?: number } }[];
}

const open = "/openapi/release_plan/v1";
const mirrors = [open, "/api/aslan/release_plan/v1"];

/** Release plans that the user `uid`, whose account is root, manages and approves. */
export async function walkPlans(call: Call, uid: string): Promise<void> {
  const native_approval = { needed_approvers: 1, approve_users: [{ type: "user", user_id: uid, user_name: "root" }] };
  const hold = { name: "hold", type: "approval", spec: { type: "native", native_approval } };
  await call("POST /openapi/workflows/custom", {
    body: { name: walkedRelease, project: "walk", stages: [{ name: "one", jobs: [hold] }] },
  });
  const manager = { name: "walk", manager: "root", manager_identity_type: "system" };
  const approval = { enabled: true, type: "native", native_approval };
  const { id } = await call<{ id: string }>(`POST ${open}`, { body: manager });
  const params = { id };
  await call(`GET ${open}`);
  await call(`POST ${mirrors[1]}`, { body: { name: "whole", manager: "root", manager_id: uid } });
  await call(`GET ${mirrors[1]}`, { query: { type: "name", keyword: "whole" } });
  const spec = { workflow_key: walkedRelease, project_key: "walk", inputs: [{ job_name: "hold" }] };
  const text = (name: string) => ({ name, type: "text", spec: { content: "tell" } });
  const jobs = [text("a"), text("b"), { name: "run", type: "workflow", spec }, text("c"), text("d")];
  const read = () => call<Plan>(`GET ${open}/{id}`, { params });
  const hookAnswer = { release_plan_id: id, instance_code: "", hook_event: "start_execute", result: "success" };
  await call("POST /api/callback/release_plan", { body: hookAnswer });
  for (const path of mirrors) {
    await call(`PATCH ${open}/{id}`, { params, body: { ...manager, approval, jobs } });
    await call(`PUT ${path}/{id}`, { params, body: { verb: "update_name", spec: { name: `walk ${path}` } } });
    const made = await read();
    await call(`GET ${path}/{id}`, { params });
    await call(`GET ${path}/{id}/job/{jobID}`, { params: { id, jobID: made.jobs[0]?.id ?? "" } });
    await call(`GET ${path}/{id}/check_update`, { params, query: { version: "1", verb: "update_name" } });
    await call(`GET ${path}/{id}/versions/{version}/diff`, { params: { id, version: "2" } });
    const move = (status: string) => call(`POST ${path}/{id}/status/{status}`, { params: { id, status } });
    await move("finish_planning");
    await move("wait_for_approval");
    await call(`POST ${path}/{id}/approve`, { params, body: { approve: true, comment: "go" } });
    const [a, b, run] = made.jobs;
    const of = (job = a) => ({ params, body: { id: job?.id, name: job?.name, type: job?.type, spec: {} } });
    await call(`POST ${path}/{id}/execute`, of(a));
    await call(`POST ${path}/{id}/skip`, of(b));
    await call(`POST ${path}/{id}/execute`, of(run));
    await reject(call, Number((await read()).jobs[2]?.spec.task_id));
    await waitFor("the job to have failed", async () => (await read()).jobs[2]?.status === "failed");
    await call(`POST ${path}/{id}/retry`, of(run));
    // As if its task had deployed to an environment that is gone.
    const task = { planId: id, workflowKey: walkedRelease, taskId: 1 };
    const gone = { projectKey: "walk", envKey: "gone", environmentId: "gone", production: false };
    await recordDeploying(task, gone, "web", { isNew: false }, "try-1");
    await call(`POST ${path}/{id}/rollback`, { params });
    await waitFor("the rollback to be over", async () => (await read()).jobs.at(-1)?.status === "skipped");
    await waitFor("the log to say so", async () => {
      const { list } = await call<{ list: { detail: string }[] }>(`GET ${path}/{id}/logs`, { params });
      return list[0]?.detail.startsWith("the rollback is over");
    });
    const copy = await call<{ id: string }>(`POST ${path}/{id}/copy`, { params, body: { name: "copy" } });
    await call(`DELETE ${path}/{id}`, { params: copy });
    await call(`POST ${path}/{id}/preview`, { params });
    await call(`GET ${path}/{id}/logs`, { params });
    await call(`GET ${path}/statistics`, { query: { start_time: "1", end_time: "2" } });
    const hook = { enable: false, hook_address: "https://gate.example.com/a", hook_secret: "walked-secret" };
    await call(`PUT ${path}/hook/setting`, { body: hook });
    await call(`GET ${path}/hook/setting`);
    await call(`POST ${path}/hook/callback`, { body: hookAnswer });
    await call(`GET ${path}/calendar`, { query: { from: "1", to: "2" } });
  }
}

/** Whoever is asked by the task rejects it; then it is over. */
async function reject(call: Call, taskId: number): Promise<void> {
  const query = { workflowKey: walkedRelease, taskId: String(taskId) };
  const read = () =>
    call<{ status: string; end_time?: number; stages: { jobs: { status: string }[] }[] }>(
      "GET /openapi/workflows/custom/task",
      { query },
    );
  await waitFor("the task to ask", async () => (await read()).stages[0]?.jobs[0]?.status === "wait_for_approval");
  await call("POST /openapi/workflows/custom/task/approve", {
    body: { workflow_key: walkedRelease, task_id: taskId, stage_name: "one", approve: false },
  });
  await waitFor("the task to be over", async () => (await read()).end_time !== undefined);
}
