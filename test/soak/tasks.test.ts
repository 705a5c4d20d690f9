import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Program, processesNaming, startProgram } from "../harness/program.ts";
import { adminToken } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";

/** A short run shows that it works. */
const wanted = Number(process.env.SLIPWAY_SOAK_SECONDS ?? 300) >= 300 ? 200 : 20;
const kills = Math.ceil(wanted / 40);
const installationLimit = 3;
/** -1: as many as the installation lets run. */
const limits: Record<string, number> = { one: 1, two: 2, many: -1, quick: 3 };
const workflows = Object.keys(limits);
const endings = ["passed", "failed", "timeout", "cancelled", "reject"];

// Not the folder of temporary files, of which every pod has one of its own.
const notes = `${mkdtempSync("/var/tmp/slipway-soak-")}/notes`;
const dataDir = mkdtempSync(join(tmpdir(), "slipway-soak-"));
let program: Program;

interface Listed {
  task_id: number;
  status: string;
  end_time?: number;
}

const start = () => startProgram({ SLIPWAY_DATA_DIR: dataDir, SLIPWAY_ADMIN_TOKEN: adminToken });

beforeAll(async () => {
  program = await start();
  const note = (word: string) => `echo "$WORKFLOW $TASK_ID ${word} $(date +%s%N)" >> ${notes}`;
  const script = `${note("begin")}; sleep 0.5; ${note("end")}; test $((TASK_ID % 5)) != 0`;
  const runtime = { infrastructure: "kubernetes", build_os: "ubuntu 20.04" };
  const container = { name: "script", type: "freestyle", spec: { script, script_type: "shell", runtime } };
  const unknown = {
    name: "unknown",
    type: "freestyle",
    spec: { script: "true", script_type: "powershell" },
    error_policy: { policy: "ignore_error" },
  };
  const calls: [string, object][] = [
    [
      "/api/aslan/system/concurrency/workflow",
      { workflow_concurrency: installationLimit, build_concurrency: installationLimit },
    ],
    ["/openapi/projects/project", { project_name: "soak", project_key: "soak", project_type: "yaml" }],
    ...Object.entries(limits).map(([name, concurrency_limit]): [string, object] => {
      const jobs = name === "quick" ? [unknown] : [container];
      const stages = [{ name: "work", jobs }];
      return ["/openapi/workflows/custom", { name, project: "soak", concurrency_limit, stages }];
    }),
  ];
  for (const [path, body] of calls) {
    const { status, text } = await program.call("POST", path, { body });
    expect(status, text).toBe(200);
  }
}, 120_000);

afterAll(async () => {
  await program.end("SIGKILL");
  for (const pid of processesNaming(dataDir).keys()) process.kill(pid, "SIGKILL");
  for (const folder of [dataDir, join(notes, "..")]) rmSync(folder, { recursive: true, force: true });
});

function startTask(workflow: string) {
  const inputs = ["script", "unknown"].map((job_name) => ({ job_name, parameters: {} }));
  const own = inputs.filter(({ job_name }) => (job_name === "unknown") === (workflow === "quick"));
  const body = { workflow_key: workflow, project_key: "soak", inputs: own };
  return program.call<{ task_id: number }>("POST", "/openapi/workflows/custom/task", { body });
}

async function listed(workflow: string): Promise<Listed[]> {
  const path = `/openapi/workflows/custom/${workflow}/tasks?projectKey=soak&pageSize=200`;
  const { json } = await program.call<{ workflow_tasks: Listed[] }>("GET", path);
  return json.workflow_tasks;
}

/** Now and then somebody cancels a task, or retries one. */
async function disturb(workflow: string, { task_id, status }: Listed): Promise<"cancel" | "retry" | undefined> {
  if (!endings.includes(status)) {
    const path = `/openapi/workflows/custom/task?workflowKey=${workflow}&taskId=${task_id}`;
    return (await program.call("DELETE", path)).status === 200 ? "cancel" : undefined;
  }
  if (status === "passed") return undefined;
  const path = `/openapi/workflows/custom/${workflow}/task/${task_id}?projectKey=soak`;
  return (await program.call("POST", path)).status === 200 ? "retry" : undefined;
}

/** The most scripts that ran at the same moment; those that were stopped left no end and are not counted. */
function maxAtOnce(workflow?: string): number {
  const lines = readFileSync(notes, "utf8").trim().split("\n");
  const told = lines.map((line) => line.split(" ") as [string, string, string, string]);
  const open = new Map<string, bigint>();
  const moments = told.flatMap(([name, taskId, word, at]) => {
    if (workflow !== undefined && name !== workflow) return [];
    const key = `${name} ${taskId}`;
    const begin = open.get(key);
    if (word === "begin") open.set(key, BigInt(at));
    if (word === "begin" || begin === undefined) return [];
    return [
      { at: begin, change: 1 },
      { at: BigInt(at), change: -1 },
    ];
  });
  let running = 0;
  let most = 0;
  for (const { change } of moments.sort((a, b) => (a.at < b.at ? -1 : 1))) {
    running += change;
    most = Math.max(most, running);
  }
  return most;
}

test(`${wanted} tasks with cancels, retries and kills of the program: all end, no limit is exceeded, no number twice`, async () => {
  const begunAt = Date.now();
  const accepted: string[] = [];
  const done = { cancel: 0, retry: 0, kill: 0, sample: 0 };
  const most = new Map<string, number>();
  const random = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;
  const sample = async (workflow: string): Promise<Listed[]> => {
    const tasks = await listed(workflow);
    const running = tasks.filter(({ status }) => status === "queued" || status === "running").length;
    most.set(workflow, Math.max(most.get(workflow) ?? 0, running));
    done.sample += 1;
    return tasks;
  };
  while (accepted.length < wanted) {
    const begun = await Promise.all(workflows.map(async (workflow) => ({ workflow, ...(await startTask(workflow)) })));
    for (const { workflow, status, json, text } of begun) {
      expect(status, text).toBe(200);
      accepted.push(`${workflow} ${json.task_id}`);
    }
    const workflow = random(workflows);
    const tasks = await sample(workflow);
    const what = tasks.length > 0 && Math.random() < 0.6 ? await disturb(workflow, random(tasks)) : undefined;
    if (what !== undefined) done[what] += 1;
    if (accepted.length < (wanted / kills) * (done.kill + 1) && accepted.length < wanted) continue;
    await program.end("SIGKILL");
    done.kill += 1;
    program = await start();
  }
  await waitFor(
    "every task to end",
    async () => {
      const all = await Promise.all(workflows.map(sample));
      return all.flat().every(({ status, end_time }) => endings.includes(status) && (end_time ?? 0) > 0);
    },
    1500,
  );
  const ended = new Map<string, number>();
  for (const workflow of workflows) {
    const tasks = await listed(workflow);
    const numbers = tasks.map(({ task_id }) => task_id).sort((a, b) => a - b);
    expect(numbers, workflow).toEqual(numbers.map((_, at) => at + 1));
    expect(numbers.length).toBe(accepted.filter((one) => one.startsWith(`${workflow} `)).length);
    for (const { status } of tasks) ended.set(status, (ended.get(status) ?? 0) + 1);
    const limit = limits[workflow] ?? 0;
    expect(most.get(workflow) ?? 0, workflow).toBeLessThanOrEqual(limit < 0 ? installationLimit : limit);
  }
  expect(new Set(accepted).size).toBe(accepted.length);
  for (const [workflow, limit] of Object.entries(limits))
    if (limit > 0) expect(maxAtOnce(workflow), `scripts of ${workflow} at once`).toBeLessThanOrEqual(limit);
  expect(maxAtOnce(), "scripts at once").toBeLessThanOrEqual(installationLimit);
  const seconds = Math.round((Date.now() - begunAt) / 1000);
  console.log({ ...done, seconds, ...Object.fromEntries(ended), scriptsAtOnce: maxAtOnce(), most });
}, 1_800_000);
