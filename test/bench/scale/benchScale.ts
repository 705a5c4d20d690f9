import { handler as reconcile } from "../../../functions/triggers/reconciler/handler.ts";
import { recordAllStoreCalls, recordStoreCalls, type StoreCall } from "../../../shared/base/store/storeCalls.ts";
import { setConcurrency } from "../../../shared/workflows/records/concurrency.ts";
import { findTaskOwner } from "../../../shared/workflows/records/taskHeads.ts";
import { recordAwsCalls } from "../../harness/awsCalls.ts";
import { environmentBody } from "../../harness/boutique.ts";
import { lengthenQueue } from "../../harness/longQueue.ts";
import { deploymentYaml } from "../../harness/manifests.ts";
import { type Slipway, startSlipway } from "../../harness/slipway.ts";
import { storeCallsOf, unitsOf } from "../../harness/storeCallsOf.ts";
import { makeGates, makeWorkflow, tasksOf } from "../../harness/tasks.ts";
import { waitFor } from "../../harness/waitFor.ts";
import { number, times } from "../figures.ts";
import { atMost, judged, printTable, progress } from "../report.ts";
import { quick } from "../settings.ts";
import { addRunning, copyItems } from "./fillInstallation.ts";

const size = quick
  ? { waiting: 50, open: 40, services: 100, environments: 20 }
  : { waiting: 1000, open: 900, services: 10_000, environments: 1000 };
const project = "scale";
/** How much dearer a start or an end may be than in an empty installation. */
const most = 1.2;
const rounds = 3;

interface Cost {
  trips: number;
  units: number;
}

const costOf = (calls: readonly StoreCall[]): Cost => ({ trips: calls.length, units: unitsOf(calls) });

/** The least of several: the reconciler may come by, and reads the same table. */
async function least(measure: () => Promise<Cost>): Promise<Cost> {
  const costs: Cost[] = [];
  for (let round = 0; round < rounds; round++) costs.push(await measure());
  return { trips: Math.min(...costs.map(({ trips }) => trips)), units: Math.min(...costs.map(({ units }) => units)) };
}

/** What tasks cost in an installation that has nothing else, and in one with everything that a large customer has. */
export async function benchScale(): Promise<void> {
  const slipway = await startSlipway({ podDelayMilliseconds: 0 });
  try {
    const bench = await prepare(slipway);
    progress("an empty installation");
    const empty = await bench.measure();
    progress(`${size.services} services, ${size.environments} environments`);
    await copyItems("web", size.services);
    await copyItems("dev", size.environments);
    progress(`${size.open} open tasks, ${size.waiting} waiting ones`);
    await bench.fill();
    const full = await bench.measure();
    report(empty, full);
  } finally {
    await slipway.close();
  }
}

async function prepare(slipway: Slipway) {
  const tasks = tasksOf(slipway, project);
  const post = async (path: string, body: object): Promise<void> => {
    const { status, text } = await slipway.call("POST", path, { body });
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  };
  await post("/openapi/projects/project", { project_key: project, project_name: project, project_type: "yaml" });
  const web = { service_name: "web", yaml: deploymentYaml("web", "web:1") };
  await post(`/openapi/service/yaml/raw?projectKey=${project}`, web);
  const environment = { ...environmentBody("dev", "scale-dev"), services: [{ service_name: "web" }] };
  await post(`/openapi/environments?projectKey=${project}`, environment);
  await waitFor(
    "the environment",
    async () => {
      const { json } = await slipway.call<{ stored_status: string }>(
        "GET",
        `/openapi/environments/dev?projectKey=${project}`,
      );
      return json.stored_status === "success";
    },
    100,
  );
  const { json } = await slipway.call<{ users: { uid: string }[] }>("GET", "/openapi/users");
  const approve_users = json.users.map(({ uid }) => ({ user_id: uid }));
  const native_approval = { needed_approvers: 1, approve_users };
  const stages = [
    { name: "one", jobs: [{ name: "ask", type: "approval", spec: { type: "native", native_approval } }] },
  ];
  const holding = (name: string, concurrency_limit: number) =>
    makeWorkflow(project, { name, stages, concurrency_limit });
  await makeGates(project, "gates", [1], { concurrency_limit: -1 });
  await holding("held", -1);
  await holding("behind", 1);
  await setConcurrency({ workflowConcurrency: 10_000, buildConcurrency: 10 });
  const untilHeld = (workflow: string, id: number) =>
    tasks.until(workflow, id, "held", ({ stages: shown }) => shown[0]?.jobs[0]?.status === "wait_for_approval");
  await untilHeld("held", await tasks.started("held", []));
  await untilHeld("behind", await tasks.started("behind", []));
  let last = await tasks.started("behind", []);
  let running = 1;

  const start = async (workflow: string): Promise<Cost> => {
    const body = { workflow_key: workflow, project_key: project, inputs: [] };
    const { calls, status, body: text } = await storeCallsOf("POST", "/openapi/workflows/custom/task", { body });
    if (status !== 200) throw new Error(text);
    return costOf(calls);
  };
  /** By hand, so that looking costs nothing: a call that approves, until the machines have done what follows. */
  const handOn = async (workflow: string, id: number, until: () => Promise<unknown>): Promise<Cost> => {
    const { calls } = await recordAllStoreCalls(async () => {
      const { status, text } = await tasks.approve(workflow, id, "ask", true);
      if (status !== 200) throw new Error(text);
      await until();
    });
    const written = calls.filter(({ kind }) => kind === "write" || kind === "add");
    return costOf(written);
  };
  const measures: Record<string, () => Promise<Cost>> = {
    "a start that runs at once": () => start("gates"),
    "a start that waits for its workflow": async () => {
      const cost = await start("behind");
      last += 1;
      return cost;
    },
    "an end, and the next one starts: writes": () => {
      const next = running + 1;
      return handOn("behind", running, async () => {
        await untilHeld("behind", next);
        running = next;
      });
    },
  };
  return {
    fill: async () => {
      const idOf = async (workflow: string) => (await findTaskOwner(workflow))?.id ?? "";
      await addRunning(slipway, await idOf("held"), 1, size.open);
      await lengthenQueue(await idOf("behind"), last, size.waiting);
    },
    measure: async (): Promise<Map<string, Cost & { calls?: number }>> => {
      const found = new Map<string, Cost & { calls?: number }>();
      for (const [what, measure] of Object.entries(measures)) found.set(what, await least(measure));
      // What came before it is over: a task that runs to its end, with the call that starts it and all reads.
      found.set("a whole task: start, job, end", await least(() => wholeTask(slipway)));
      const { result, calls } = await recordStoreCalls(() => recordAwsCalls(() => reconcile()));
      const asked = Object.values(result.calls).reduce((sum, count) => sum + count, 0);
      found.set("a round of the reconciler", { ...costOf(calls), calls: asked });
      return found;
    },
  };
}

async function wholeTask({ call, runtime }: Slipway): Promise<Cost> {
  const { executions } = runtime.aws;
  const running = () => executions.running().length;
  const before = running();
  const { calls } = await recordAllStoreCalls(async () => {
    const body = { workflow_key: "gates", project_key: project, inputs: [] };
    const { status, text } = await call("POST", "/openapi/workflows/custom/task", { body });
    if (status !== 200) throw new Error(text);
    await waitFor("the task to end", async () => running() <= before);
  });
  return costOf(calls);
}

type Costs = Map<string, Cost & { calls?: number }>;

function report(empty: Costs, full: Costs): void {
  const missed: string[] = [];
  const rows = [...full].map(([what, { trips, units, calls }]) => {
    const before = empty.get(what) ?? { trips: 1, units: 1 };
    const ratio = Math.max(trips / before.trips, units / before.units);
    const isRound = calls !== undefined;
    const goal = isRound ? undefined : atMost(ratio, most, times);
    if (goal?.met === false) missed.push(what);
    const shown = ({ trips: t, units: u, calls: c }: Cost & { calls?: number }) =>
      `${t} / ${number(u)}${c === undefined ? "" : ` / ${c}`}`;
    return [what, shown(before), shown({ trips, units, ...(isRound && { calls }) }), times(ratio), ...judged(goal)];
  });
  const { open, waiting, services, environments } = size;
  const how =
    `Round trips to the table / its units / calls of AWS beside it, in an empty installation and in one with ${waiting} waiting ` +
    `and ${open} open tasks, ${services} services and ${environments} environments. Each is the least of ${rounds}.`;
  printTable("Scale", how, ["what", "empty", "full", "full ÷ empty", "goal", "verdict"], rows);
  if (missed.length > 0 && !quick) throw new Error(`dearer than ${most} times: ${missed.join(", ")}`);
}
