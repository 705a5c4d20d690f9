import { waitFor } from "../harness/waitFor.ts";
import { walkedRollout, walkedWorkflow } from "./operationRecord.ts";
import type { Call } from "./walk.ts";

interface Seen {
  status: string;
  end_time?: number;
  stages: { jobs: { name: string; status: string }[] }[];
}

/** Tasks of one workflow of the project `walk`, each call at least once; the user `uid` approves and decides. */
export async function walkTasks(call: Call, uid: string): Promise<void> {
  await call("POST /openapi/workflows/custom", { body: definition(uid) });
  const tasks = callsOf(call);
  const first = await tasks.start("/openapi/workflows/custom/task");
  await tasks.until(first, "held", isHeld);
  await call("POST /openapi/workflows/custom/task/approve", {
    body: { workflow_key: walkedWorkflow, task_id: first, stage_name: "hold", approve: true },
  });
  await tasks.until(first, "paused", isPaused);
  const path = inPath(first);
  await call("GET /openapi/workflows/custom/{workflowKey}/task/{taskID}/manual-exec", path);
  const executing = { ...path, body: { stage_name: "by-hand" } };
  await call("POST /openapi/workflows/custom/{workflowKey}/task/{taskID}/manual-exec", executing);
  await tasks.until(first, "waiting for a decision", asks);
  await call("POST /api/aslan/workflow/v4/workflowtask/handle/error", {
    body: { workflow_name: walkedWorkflow, job_name: "job-1-0-0-odd", task_id: first, decision: "reject" },
  });
  await tasks.until(first, "over", isOver);
  const params = { workflowName: walkedWorkflow, taskID: String(first), jobName: "odd" };
  for (const way of ["log", "files"])
    await call(`GET /openapi/logs/${way}/v4/workflow/{workflowName}/{taskID}/{jobName}`, { params });
  await call("GET /openapi/logs/sse/v4/workflow/{workflowName}/{taskID}/{jobName}/{lines}", {
    params: { ...params, lines: "10" },
  });
  await call("GET /api/aslan/logs/log/v4/workflow/{workflowName}/tasks/{taskID}/jobs/{jobName}", { params });
  await call("GET /api/aslan/workflow/v4/workflowtask", {
    query: { projectKey: "walk", workflowKey: walkedWorkflow },
  });
  const remark = { ...path, body: { remark: "as expected" } };
  await call("PUT /openapi/workflows/custom/{workflowKey}/task/{taskID}", remark);
  await call("POST /openapi/workflows/custom/{workflowKey}/task/{taskID}", path);
  await call("DELETE /openapi/workflows/custom/task", { query: inQuery(first) });
  await tasks.until(first, "cancelled", isOver);
  await call("GET /openapi/workflows/custom/{workflowKey}/tasks", {
    params: { workflowKey: walkedWorkflow },
    query: { projectKey: "walk" },
  });

  await walkRollout(call);

  const second = await tasks.start("/api/aslan/workflow/v4/workflowtask");
  await tasks.until(second, "held", isHeld);
  await call("POST /api/aslan/workflow/v4/workflowtask/approve", {
    body: { workflow_name: walkedWorkflow, job_name: "job-0-0-0-hold", task_id: second, approve: true },
  });
  await tasks.until(second, "paused", isPaused);
  const console = { params: { workflowName: walkedWorkflow, taskId: String(second) } };
  await call("DELETE /api/aslan/workflow/v4/workflowtask/workflow/{workflowName}/task/{taskId}", console);
  await tasks.until(second, "cancelled", isOver);
  await call("POST /api/aslan/workflow/v4/workflowtask/retry/workflow/{workflowName}/task/{taskId}", console);
  await tasks.until(second, "paused again", isPaused);
  await call("GET /api/aslan/workflow/v4/workflowtask/workflow/{workflowName}/task/{taskId}", console);
}

/** A rollout that is held and given up before its first step begins. */
async function walkRollout(call: Call): Promise<void> {
  const beside = {
    ...{ name: "beside", type: "k8s-blue-green-deploy" },
    spec: { env: "dev", services: [{ service_name: "web" }] },
  };
  const shift = { name: "shift", type: "k8s-blue-green-release", spec: { from_job: "beside" } };
  const stages = [{ name: "rollout", manual_exec: { enabled: true, manual_exec_users: [] }, jobs: [beside, shift] }];
  await call("POST /openapi/workflows/custom", { body: { name: walkedRollout, project: "walk", stages } });
  const inputs = ["beside", "shift"].map((job_name) => ({ job_name, parameters: {} }));
  const started = { workflow_key: walkedRollout, project_key: "walk", inputs };
  const { task_id } = await call<{ task_id: number }>("POST /openapi/workflows/custom/task", { body: started });
  for (const action of ["pause", "abort"])
    await call("POST /openapi/workflows/custom/task/rollout", {
      body: { workflow_key: walkedRollout, task_id, job_name: "shift", action },
    });
}

/** An approval, then a stage that somebody executes, with a job that fails and asks somebody about it. */
function definition(uid: string) {
  const users = [{ type: "user", user_id: uid, user_name: "root" }];
  const hold = { type: "native", native_approval: { approve_users: users, needed_approvers: 1 } };
  const odd = {
    name: "odd",
    type: "freestyle",
    spec: { script: "true", script_type: "powershell" },
    error_policy: { policy: "manual_check", approval_users: users },
  };
  return {
    name: walkedWorkflow,
    project: "walk",
    stages: [
      { name: "gate", jobs: [{ name: "hold", type: "approval", spec: hold }] },
      { name: "by-hand", manual_exec: { enabled: true, manual_exec_users: users }, jobs: [odd] },
    ],
  };
}

const inQuery = (task: number) => ({ workflowKey: walkedWorkflow, taskId: String(task) });

const inPath = (task: number) => ({
  params: { workflowKey: walkedWorkflow, taskID: String(task) },
  query: { projectKey: "walk" },
});

function callsOf(call: Call) {
  return {
    start: async (path: "/openapi/workflows/custom/task" | "/api/aslan/workflow/v4/workflowtask") => {
      const inputs = [{ job_name: "odd", parameters: {} }];
      const body = { workflow_key: walkedWorkflow, project_key: "walk", inputs };
      return (await call<{ task_id: number }>(`POST ${path}`, { body })).task_id;
    },
    until: (task: number, what: string, seen: (task: Seen) => boolean) =>
      waitFor(`task #${task} of the walk to be ${what}`, async () => {
        return seen(await call<Seen>("GET /openapi/workflows/custom/task", { query: inQuery(task) }));
      }),
  };
}

const isHeld = (task: Seen): boolean => task.stages[0]?.jobs[0]?.status === "wait_for_approval";
const isPaused = ({ status }: Seen): boolean => status === "pause";
const asks = (task: Seen): boolean => task.stages[1]?.jobs[0]?.status === "wait_for_manual_error_handling";
const isOver = (task: Seen): boolean => task.end_time !== undefined;
