import { afterAll, beforeAll, expect, test } from "vitest";
import { readMetrics, seriesIn } from "../harness/metricsPage.ts";
import { newPerson } from "../harness/people.ts";
import type { Slipway } from "../harness/slipway.ts";
import { gate, makeWorkflow, startShop, type tasksOf } from "../harness/tasks.ts";

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
});

afterAll(() => slipway.close());

const read = () => readMetrics(slipway);

test("requests are counted by their declared path, and those of unknown paths in one series", async () => {
  for (const name of ["a", "b"]) {
    expect((await slipway.call("GET", `/openapi/projects/project/detail?projectKey=${name}`)).status).toBe(404);
    expect((await slipway.call("PATCH", `/nowhere/${name}`)).status).toBe(404);
  }
  const text = await read();
  const count = "slipway_http_request_duration_seconds_count";
  expect(seriesIn(text, `${count}{method="GET",route="/openapi/projects/project/detail",status="404"}`)).toBe(2);
  expect(seriesIn(text, `${count}{method="other",route="other",status="404"}`)).toBe(2);
  expect(text).not.toContain("nowhere");
});

test("the table's round trips and units are counted, without those of the reading itself", async () => {
  const trips = (text: string) =>
    [...text.matchAll(/^slipway_store_calls_total\{.*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
  const [first, second] = [await read(), await read()];
  const reading = trips(second) - trips(first);
  expect(reading, "the page alone asks for ten kinds of work").toBeLessThan(10);
  for (let times = 0; times < 20; times++)
    await slipway.call("GET", "/openapi/projects/project/detail?projectKey=shop");
  const third = await read();
  expect(trips(third) - trips(second)).toBeGreaterThanOrEqual(20);
  expect(seriesIn(third, 'slipway_store_capacity_units_total{call="write"}')).toBeGreaterThan(0);
});

test("tasks that are not over are told by their status", async () => {
  const held = {
    ...gate("held"),
    spec: { type: "native", native_approval: { needed_approvers: 1, approve_users: [{ type: "task_creator" }] } },
  };
  await makeWorkflow("shop", { name: "long", concurrency_limit: 1, stages: [{ name: "one", jobs: [held] }] } as never);
  const first = await tasks.started("long", ["held"]);
  const second = await tasks.started("long", ["held"]);
  await tasks.until("long", first, "running", ({ status }) => status === "running");
  const text = await read();
  expect(seriesIn(text, 'slipway_open_tasks{status="running"}')).toBe(1);
  expect(seriesIn(text, 'slipway_open_tasks{status="waiting"}')).toBe(1);
  for (const one of [second, first]) {
    await tasks.cancel("long", one);
    await tasks.end("long", one);
  }
  expect(await read()).not.toContain('slipway_open_tasks{status="running"}');
});

test("is refused to whoever is no administrator, and takes GET alone", async () => {
  const { token } = await newPerson("somebody");
  const refused = await slipway.call("GET", "/metrics", { token });
  expect(refused.status).toBe(403);
  expect(refused.text).toContain("system administrators");
  expect((await slipway.call("GET", "/metrics", { token: null })).status).toBe(401);
  expect((await slipway.call("POST", "/metrics")).status).toBe(405);
  expect((await slipway.call("GET", "/metrics/more")).status).toBe(404);
});
