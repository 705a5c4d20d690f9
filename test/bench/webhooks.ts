import { setTimeout as sleep } from "node:timers/promises";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { makeGates } from "../harness/tasks.ts";
import { ask } from "./ask.ts";
import { median, number, percentile, timed } from "./figures.ts";
import { printTable, progress } from "./report.ts";
import { quick } from "./settings.ts";

const alone = quick ? 5 : 100;
const atOnce = quick ? 20 : 200;
const secret = "the-secret-of-the-bench";
const root = "/api/aslan/workflow/v4";

/** How soon a call of a hook is a started task, alone and in a crowd. */
export async function benchWebhooks(): Promise<void> {
  const slipway = await startSlipway();
  try {
    const project = { project_key: "shop", project_name: "shop", project_type: "yaml" };
    await ask(slipway, "POST", "/openapi/projects/project", project);
    await makeGates("shop", "ship", [1], { concurrency_limit: -1 });
    await ask(slipway, "POST", `${root}/generalhook/ship`, { name: "ci", secret });
    progress(`${alone} calls, one after the other`);
    const answered: number[] = [];
    const started: number[] = [];
    for (let at = 0; at < alone; at++) {
      const began = performance.now();
      const { result, milliseconds } = await timed(() => ring(slipway));
      await untilStarted(slipway, result);
      answered.push(milliseconds);
      started.push(performance.now() - began);
    }
    progress(`${atOnce} calls at once`);
    const began = performance.now();
    await Promise.all(Array.from({ length: atOnce }, () => ring(slipway)));
    const allAnswered = performance.now() - began;
    await untilTasks(slipway, alone + atOnce);
    const allStarted = performance.now() - began;
    print({ answered, started, allAnswered, allStarted });
  } finally {
    await slipway.close();
  }
}

async function ring(slipway: Slipway): Promise<string> {
  const headers = { "x-slipway-token": secret };
  const call = { token: null, body: { tag: "v1" }, headers };
  const answer = await slipway.call<{ delivery_id: string }>("POST", `${root}/generalhook/ship/ci/webhook`, call);
  if (answer.status !== 202) throw new Error(answer.text);
  return answer.json.delivery_id;
}

async function untilStarted(slipway: Slipway, id: string): Promise<void> {
  for (;;) {
    const path = `${root}/triggerdelivery/ship`;
    const { json } = await slipway.call<{ delivery_id: string; status: string }[]>("GET", path);
    const status = json.find((one) => one.delivery_id === id)?.status;
    if (status === "started") return;
    if (status !== "accepted") throw new Error(`delivery ${id} is ${status}`);
    await sleep(5);
  }
}

/** @throws Error when there are more */
async function untilTasks(slipway: Slipway, wanted: number): Promise<void> {
  for (;;) {
    const path = "/openapi/workflows/custom/ship/tasks?projectKey=shop";
    const { total } = (await slipway.call<{ total: number }>("GET", path)).json;
    if (total > wanted) throw new Error(`${total} tasks instead of ${wanted}`);
    if (total === wanted) return;
    await sleep(20);
  }
}

function print(found: { answered: number[]; started: number[]; allAnswered: number; allStarted: number }): void {
  const { answered, started, allAnswered, allStarted } = found;
  const row = (what: string, values: readonly number[]) => [
    what,
    number(median(values), 1),
    number(percentile(values, 0.95), 1),
  ];
  printTable(
    "A webhook and its task",
    `On one machine, table and sandbox beside it; ${alone} calls one after the other, looked at every 5 ms.`,
    ["until", "p50 in ms", "p95 in ms"],
    [row("it is answered", answered), row("its task is started", started)],
  );
  printTable(
    `${atOnce} webhooks at once`,
    "Each starts one task; none is lost and none started twice.",
    ["until all are", "ms", "a second"],
    [
      ["answered", number(allAnswered), number(atOnce / (allAnswered / 1000))],
      ["started", number(allStarted), number(atOnce / (allStarted / 1000))],
    ],
  );
}
