import type { Caller } from "../harness/boutique.ts";
import { passing } from "../harness/passingApprovals.ts";
import type { Answer } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";
import { prepareEnvironment } from "./environmentScenarios.ts";
import { type Scenario, succeed } from "./scenario.ts";
import { flow, patiently } from "./taskCalls.ts";

const plans = "/openapi/release_plan/v1";

interface Plan {
  id: string;
  status: string;
  jobs: { id: string; type: string; status: string; spec: { status?: string; task_id?: number } }[];
}

const known = { name: "may", manager: "admin", manager_identity_type: "system" };

async function list(slipway: Caller): Promise<{ id: string }[]> {
  return (await slipway.call<{ list: { id: string }[] }>("GET", plans)).json.list;
}

async function onlyPlan(slipway: Caller): Promise<Plan> {
  const [plan] = await list(slipway);
  return (await slipway.call<Plan>("GET", `${plans}/${plan?.id}`)).json;
}

async function administrator(slipway: Caller): Promise<string> {
  const { users } = (await slipway.call<{ users: { uid: string; account: string }[] }>("GET", "/openapi/users")).json;
  return users.find(({ account }) => account === "admin")?.uid ?? "";
}

/** A plan of an installation of its own, in one of its statuses; its workflow has one gate. */
async function prepared(
  slipway: Caller,
  plan: { jobs: readonly object[]; [more: string]: unknown },
  statuses: readonly string[],
  spec: object = passing,
): Promise<void> {
  const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
  await succeed(slipway.call("POST", "/openapi/projects/project", { body: project }));
  await planned(slipway, { name: "gate", type: "approval", spec }, plan, statuses);
}

/** The only plan, in one of its statuses; its workflow has this job alone. */
async function planned(
  slipway: Caller,
  only: { name: string; type: string; spec: object },
  plan: { jobs: readonly object[]; [more: string]: unknown },
  statuses: readonly string[],
): Promise<void> {
  const workflow = { name: flow, project: "shop", stages: [{ name: "one", jobs: [only] }] };
  await succeed(slipway.call("POST", "/openapi/workflows/custom", { body: workflow }));
  await succeed(slipway.call("POST", plans, { body: known }));
  const { id } = await onlyPlan(slipway);
  await succeed(slipway.call("PATCH", `${plans}/${id}`, { body: { ...known, ...plan } }));
  for (const status of statuses) await succeed(slipway.call("POST", `${plans}/${id}/status/${status}`));
}

function job(name: string, runs: "gate" | "deploy" = "gate", more: object = {}): object {
  const spec = { workflow_key: flow, project_key: "shop", inputs: [{ job_name: runs }] };
  return { name, type: "workflow", spec, ...more };
}

async function execute(slipway: Caller): Promise<Answer> {
  const { id, jobs } = await onlyPlan(slipway);
  return slipway.call("POST", `${plans}/${id}/execute`, { body: { id: jobs[0]?.id, type: "workflow", spec: {} } });
}

async function mustHavePassed(slipway: Caller, tasks: readonly number[]): Promise<void> {
  const { status, jobs } = await onlyPlan(slipway);
  const ended = jobs.map(({ spec }) => [spec.status, spec.task_id]);
  if (status !== "success" || JSON.stringify(ended) !== JSON.stringify(tasks.map((taskId) => ["passed", taskId])))
    throw new Error(`the plan is ${status}, its jobs ${JSON.stringify(jobs)}`);
}

/** The only job of a plan runs a workflow of one gate; its end is the plan's. */
const executedJob: Scenario = {
  name: "job of a release plan",
  prepare: (slipway) => prepared(slipway, { jobs: [job("ship")] }, ["finish_planning", "executing"]),
  request: execute,
  check: (slipway) => mustHavePassed(slipway, [1]),
};

/** The last approval begins the execution, and the jobs start by themselves, one after the other. */
const approvedPlan: Scenario = {
  name: "approval of a release plan",
  prepare: async (slipway) => {
    const user_id = await administrator(slipway);
    const approve_users = [{ type: "user", user_id, user_name: "admin" }];
    const approval = { enabled: true, type: "native", native_approval: { needed_approvers: 1, approve_users } };
    const jobs = [job("first"), job("second", "gate", { depends_on: ["first"] })];
    const plan = { jobs, approval, settings: { auto_execute: true } };
    await prepared(slipway, plan, ["finish_planning", "wait_for_approval"]);
  },
  request: async (slipway) => {
    const { id } = await onlyPlan(slipway);
    return slipway.call("POST", `${plans}/${id}/approve`, { body: { approve: true, comment: "" } });
  },
  check: (slipway) => mustHavePassed(slipway, [1, 2]),
};

/** A job is started, and the plan is left while its task waits for somebody: nothing of it may stay behind. */
function leftPlan(
  name: string,
  leave: (slipway: Caller, id: string) => Promise<Answer>,
  isLeft: (plan: Plan) => boolean,
) {
  const asking = async (slipway: Caller) => ({
    needed_approvers: 1,
    approve_users: [{ type: "user", user_id: await administrator(slipway), user_name: "admin" }],
  });
  const scenario: Scenario = {
    name: `release plan and its task, ${name}`,
    prepare: async (slipway) =>
      prepared(slipway, { jobs: [job("ship")] }, ["finish_planning", "executing"], await asking(slipway)),
    request: execute,
    goOn: async (slipway) => {
      if ((await list(slipway)).length === 0) return;
      const plan = await onlyPlan(slipway);
      if (isLeft(plan) || plan.jobs[0]?.status === "todo") return;
      await patiently("the task to ask", async () => {
        const path = `/openapi/workflows/custom/task?workflowKey=${flow}&taskId=1`;
        const { json } = await slipway.call<{ stages: { jobs: { status: string }[] }[] }>("GET", path);
        return json.stages[0]?.jobs[0]?.status === "wait_for_approval";
      });
      await succeed(leave(slipway, plan.id));
    },
    check: async (slipway) => {
      const path = `/openapi/workflows/custom/task?workflowKey=${flow}&taskId=1`;
      const { json } = await slipway.call<{ status: string }>("GET", path);
      if (json.status !== "cancelled") throw new Error(`the task is ${json.status}`);
    },
  };
  return scenario;
}

/** What the only job of a plan deployed goes back. */
const rolledBack: Scenario = {
  name: "rollback of a release plan",
  prepare: async (slipway) => {
    await prepareEnvironment(slipway);
    const services = ["web", "cache"].map((service_name) => {
      return { service_name, modules: [{ service_module: "main", image: `${service_name}:2` }] };
    });
    const deploy = { name: "deploy", type: "zadig-deploy", spec: { env: "dev", services } };
    await planned(slipway, deploy, { jobs: [job("ship", "deploy")] }, ["finish_planning", "executing"]);
    await succeed(execute(slipway));
    await waitFor("the plan to be over", async () => (await onlyPlan(slipway)).status === "success", 60);
  },
  request: async (slipway) => slipway.call("POST", `${plans}/${(await onlyPlan(slipway)).id}/rollback`),
  check: async (slipway) => {
    const { status, jobs } = await onlyPlan(slipway);
    const statuses = jobs.map((job) => job.status).join(", ");
    if (status !== "cancel" || statuses !== "done, done, done") throw new Error(`the plan is ${status}: ${statuses}`);
  },
};

/** Release plans: what a call begins, what follows of it by itself, and the end of a task writes. */
export const planScenarios: readonly Scenario[] = [
  executedJob,
  approvedPlan,
  rolledBack,
  leftPlan(
    "cancelled",
    (slipway, id) => slipway.call("POST", `${plans}/${id}/status/cancel`),
    ({ status }) => status === "cancel",
  ),
  leftPlan(
    "planned again",
    (slipway, id) => slipway.call("POST", `${plans}/${id}/status/planning`),
    ({ status }) => status === "planning",
  ),
  leftPlan(
    "deleted",
    (slipway, id) => slipway.call("DELETE", `${plans}/${id}`),
    () => false,
  ),
];
