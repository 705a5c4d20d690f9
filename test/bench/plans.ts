import { mkdtempSync, readFileSync, rmSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootstrapAdministrator } from "../../shared/access/identity/session/bootstrapAdministrator.ts";
import { addReleasePlans } from "../harness/pageCosts.ts";
import { adminToken, type Slipway, startSlipway } from "../harness/slipway.ts";
import { storeCallsOf } from "../harness/storeCallsOf.ts";
import { makeGates } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";
import { median, number, percentile, rotated, timed, times } from "./figures.ts";
import { openTables } from "./pages.ts";
import { atMost, judged, printTable, progress } from "./report.ts";
import { quick } from "./settings.ts";

const path = "/openapi/release_plan/v1";
const scheduledPlans = quick ? 3 : 30;
const sizes = quick ? ([100, 200] as const) : ([100, 10_000] as const);
const rounds = quick ? 3 : 41;
const pages = [1, 2, 5];
const maxGrowth = 1.2;
const mostLateMilliseconds = 1000;

/** Release plans: how late they start by themselves, how soon they end, what their calls cost. */
export async function benchPlans(): Promise<void> {
  const slipway = await startSlipway({ podDelayMilliseconds: 0 });
  try {
    await succeed(slipway, "POST", "/openapi/projects/project", {
      ...{ project_key: "shop", project_name: "shop", project_type: "yaml" },
    });
    await makeGates("shop", "ship", [1], { concurrency_limit: -1 });
    await printTimes(slipway);
    await printCalls(slipway);
  } finally {
    await slipway.close();
  }
  await printPages();
}

async function succeed<T>(slipway: Slipway, method: string, to: string, body?: object): Promise<T> {
  const { status, text, json } = await slipway.call<T>(method, to, body === undefined ? {} : { body });
  if (status !== 200) throw new Error(`${method} ${to}: ${text}`);
  return json;
}

/** An executing plan of one workflow of one gate. @param at its schedule, Unix seconds; 0: none */
async function executingPlan(slipway: Slipway, at: number): Promise<string> {
  const plan = { name: "bench", manager: "admin", manager_identity_type: "system" };
  const { id } = await succeed<{ id: string }>(slipway, "POST", path, plan);
  const spec = { workflow_key: "ship", project_key: "shop", inputs: [{ job_name: "gate-0-0" }] };
  const jobs = [{ name: "ship", type: "workflow", spec }];
  await succeed(slipway, "PATCH", `${path}/${id}`, { ...plan, schedule_execute_time: at, jobs });
  for (const status of ["finish_planning", "executing"])
    await succeed(slipway, "POST", `${path}/${id}/status/${status}`);
  return id;
}

interface Event {
  "detail-type": string;
  detail: { plan_id?: string; task_id?: number; from: string; to: string };
}

/** When the event bus heard of each change of a status, in milliseconds: its own times are whole seconds. */
function heardBy({ dataDir }: Slipway) {
  const file = join(dataDir, "events.ndjson");
  const heard: (Event & { at: number })[] = [];
  let lines = readFileSync(file, { encoding: "utf8", flag: "a+" }).split("\n").length - 1;
  const watcher = watch(file, () => {
    const at = Date.now();
    const now = readFileSync(file, "utf8").split("\n").slice(0, -1);
    for (const line of now.slice(lines)) heard.push({ ...(JSON.parse(line) as Event), at });
    lines = now.length;
  });
  return { heard, close: () => watcher.close() };
}

/** Plans whose schedules come one after the other, half a second apart and more. */
async function printTimes(slipway: Slipway): Promise<void> {
  progress(`${scheduledPlans} scheduled plans`);
  const first = Math.floor(Date.now() / 1000) + scheduledPlans;
  const plans: { id: string; at: number }[] = [];
  for (let number = 0; number < scheduledPlans; number++) {
    const at = first + 2 * number;
    plans.push({ id: await executingPlan(slipway, at), at });
  }
  const { heard, close } = heardBy(slipway);
  const late: number[] = [];
  const ends: number[] = [];
  for (const { id, at } of plans) {
    const ended = await waitFor(
      "the end of a plan",
      async () => heard.find(({ detail }) => detail.plan_id === id && detail.to === "success"),
      180,
    );
    const { jobs } = await succeed<{ jobs: { spec: { task_id: number } }[] }>(slipway, "GET", `${path}/${id}`);
    const own = heard.filter(({ detail }) => detail.task_id === jobs[0]?.spec.task_id);
    const begun = own.find((event) => event["detail-type"] === "task status changed");
    const passed = own.find((event) => event["detail-type"] === "task status changed" && event.detail.to === "passed");
    late.push((begun?.at ?? Number.NaN) - at * 1000);
    ends.push(ended.at - (passed?.at ?? Number.NaN));
  }
  close();
  const row = (what: string, values: readonly number[], goal?: number) => {
    const p95 = percentile(values, 0.95);
    const met = goal === undefined ? undefined : atMost(p95, goal, (value) => `${value} ms`);
    return [
      what,
      String(values.length),
      ...[median(values), p95, Math.max(...values)].map((one) => number(one)),
      ...judged(met),
    ];
  };
  printTable(
    "Times of release plans",
    "When the event bus heard of it, on one machine with nothing else to do.",
    ["from", "samples", "p50, ms", "p95, ms", "most, ms", "goal for p95", "verdict"],
    [
      row("the schedule's second to the start of its task", late, mostLateMilliseconds),
      row("the end of the last task to `success`", ends),
    ],
  );
}

async function printCalls(slipway: Slipway): Promise<void> {
  const id = await executingPlan(slipway, 0);
  const { jobs } = await succeed<{ jobs: { id: string }[] }>(slipway, "GET", `${path}/${id}`);
  const job = { id: jobs[0]?.id, name: "ship", type: "workflow", spec: {} };
  const calls = [
    ["list, a page of 20", "GET", `${path}?pageNum=1&pageSize=20`],
    ["detail", "GET", `${path}/${id}`],
    ["execute a workflow job", "POST", `${path}/${id}/execute`, job],
  ] as const;
  const rows: string[][] = [];
  for (const [what, method, to, body] of calls) {
    const measured = await storeCallsOf(method, to, { body });
    if (measured.status !== 200) throw new Error(`${method} ${to}: ${measured.status} ${measured.body}`);
    const units = (isRead: boolean) =>
      measured.calls
        .filter(({ kind }) => /get|query/i.test(kind) === isRead)
        .reduce((sum, { capacityUnits }) => sum + capacityUnits, 0);
    rows.push([what, String(measured.calls.length), number(units(true), 1), number(units(false), 1)]);
  }
  const how = "The whole request until its answer; who calls and, of changes, the operation log included.";
  printTable("Store calls of release plans", how, ["call", "round trips", "read units", "write units"], rows);
}

interface Cost {
  units: number;
  milliseconds: number[];
}

async function printPages(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "slipway-bench-"));
  process.env.SLIPWAY_LOG_FILE = join(dataDir, "log.ndjson");
  const tables = openTables(dataDir, sizes);
  const costs = new Map<string, Cost>();
  try {
    for (const size of sizes) {
      progress(`${size} release plans`);
      tables.use(size);
      await bootstrapAdministrator({ adminToken });
      await addReleasePlans(0, size);
    }
    for (let round = -1; round < rounds; round++)
      for (const size of rotated(sizes, round + 1)) {
        tables.use(size);
        await readPage(1);
        for (const page of pages) {
          const { result: units, milliseconds } = await timed(() => readPage(page));
          const cost = costs.get(`${page}#${size}`) ?? { units, milliseconds: [] };
          costs.set(`${page}#${size}`, cost);
          if (round >= 0) cost.milliseconds.push(milliseconds);
        }
      }
  } finally {
    tables.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
  const rows = pages.map((page) => {
    const [few, many] = sizes.map((size) => costs.get(`${page}#${size}`)) as [Cost, Cost];
    const units = many.units / few.units;
    const time = median(many.milliseconds) / median(few.milliseconds);
    return [
      ...[String(page), String(few.units), String(many.units), ...judged(atMost(units, maxGrowth, times))],
      ...[number(median(few.milliseconds), 1), number(median(many.milliseconds), 1), times(time)],
      ...judged(atMost(time, maxGrowth, times)),
    ];
  });
  const [few, many] = sizes.map((size) => size.toLocaleString("en"));
  const header = ["page", `units at ${few}`, `units at ${many}`, "goal", "verdict"];
  const timesHeader = [`ms at ${few}`, `ms at ${many}`, "ratio", "goal", "verdict"];
  const how = `The whole request, pages of 20; medians of ${rounds} alternating rounds.`;
  printTable("A page of release plans", how, [...header, ...timesHeader], rows);
}

async function readPage(page: number): Promise<number> {
  const { status, body, units } = await storeCallsOf("GET", `${path}?pageNum=${page}&pageSize=20`);
  if (status !== 200 || body.length < 100) throw new Error(`page ${page}: ${status} ${body}`);
  return units;
}
