import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Slipway } from "../harness/slipway.ts";
import { makeWorkflow, startShop, type tasksOf } from "../harness/tasks.ts";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 });

/** Enough to begin new files; `SLIPWAY_LONG_LOG_MB=300` takes some minutes. */
const megabytes = Number(process.env.SLIPWAY_LONG_LOG_MB ?? 24);
const mebibyte = 1024 * 1024;
let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
});

afterAll(() => slipway.close());

async function logOf(name: string, script: string): Promise<string> {
  const spec = { repos: [], script, properties: {}, steps: [] };
  await makeWorkflow("shop", { name, stages: [{ name: "one", jobs: [{ name: "a", type: "freestyle", spec }] }] });
  const id = await tasks.started(name, ["a"]);
  // So much takes longer than other tests wait.
  const task = await tasks.end(name, id, 580);
  expect(task.status).toBe("passed");
  const job = task.stages[0]?.jobs[0]?.name;
  return (await slipway.call("GET", `/openapi/logs/log/v4/workflow/${name}/${id}/${job}`)).text;
}

describe("a job that prints very much", () => {
  test("ends, and the end of its log is kept with a line that says so", async () => {
    const print = `yes "a line of a long log" | head -c ${megabytes}000000`;
    const log = await logOf("much", `${print}; echo; echo the end`);
    const lines = log.trimEnd().split("\n");
    expect(lines[0]).toBe("the beginning of this log is not kept: only its last 16 MiB are");
    expect(lines.slice(1, 4)).toEqual(["a line of a long log", "a line of a long log", "a line of a long log"]);
    expect(lines.at(-1)).toBe("the end");
    expect(log.length).toBeLessThan(16 * mebibyte);
    // With the times that are stored beside them these are sixteen megabytes.
    expect(log.length).toBeGreaterThan(6 * mebibyte);
  });

  test("ends also where it is one line, which goes on in the next ones", async () => {
    const log = await logOf("one-line", `head -c ${megabytes}000000 /dev/zero | tr '\\0' x; echo; echo the end`);
    expect(log.startsWith("the beginning of this log is not kept: only its last 16 MiB are\nx")).toBe(true);
    expect(log.trimEnd().endsWith("x\nthe end")).toBe(true);
    expect(log.length).toBeGreaterThan(15 * mebibyte);
  });

  test("has the whole of a log that is short enough, and no such line", async () => {
    const log = await logOf("short", `head -c 1000000 /dev/zero | tr '\\0' x; echo; echo the end`);
    expect(log.replaceAll("\n", "").length).toBe(1_000_000 + "the end".length);
    expect(log.startsWith("x")).toBe(true);
  });
});
