import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Slipway } from "../harness/slipway.ts";
import { gate, makeWorkflow, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 120_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
});

afterAll(() => slipway.close());

/** A job that starts workflows, and waits for them or not. */
const starting = (waits: boolean, ...names: string[]) => ({
  ...{ name: "next", type: "workflow-trigger" },
  spec: {
    ...{ trigger_type: "fixed", is_enable_check: waits },
    fixed_workflow_list: names.map((workflow_name) => ({ workflow_name, project_name: "shop" })),
  },
});
/** In the store, past what refuses circles when a workflow is saved: as of a release before that. */
const stored = (name: string, jobs: object[]) =>
  makeWorkflow("shop", { name, concurrency_limit: -1, stages: [{ name: "one", jobs }] } as never);

async function lastOf(workflow: string): Promise<number> {
  const path = `/openapi/workflows/custom/${workflow}/tasks?projectKey=shop&pageNum=1&pageSize=1`;
  const { json } = await slipway.call<{ total: number }>("GET", path);
  return json.total;
}

const errorOf = (task: ShownTask) => task.stages[0]?.jobs.find(({ type }) => type === "workflow-trigger")?.error ?? "";

/** Once no more tasks come. */
async function whenStill(...workflows: string[]): Promise<number[]> {
  let before: number[] = [];
  return waitFor(
    "no more tasks to come",
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const now = await Promise.all(workflows.map(lastOf));
      const isStill = now.join() === before.join();
      before = now;
      return isStill && now;
    },
    100,
  );
}

describe("tasks that start each other end at the twentieth (decisions 19.5)", () => {
  const sentence = "21 tasks led to this start of";

  test("a workflow that starts itself, and does not wait", async () => {
    await stored("self", [gate("a"), starting(false, "self")]);
    await tasks.started("self", ["a", "next"]);
    expect(await whenStill("self")).toEqual([21]);
    const last = await tasks.end("self", 21);
    expect([last.status, errorOf(last)]).toEqual(["failed", expect.stringContaining(`${sentence} self`)]);
    expect((await tasks.end("self", 20)).status).toBe("passed");
  });

  test("one that waits for those that it starts fails with them", async () => {
    await stored("waiting", [starting(true, "waiting")]);
    await tasks.started("waiting", ["next"]);
    expect((await tasks.end("waiting", 1, 100)).status).toBe("failed");
    expect(await lastOf("waiting")).toBe(21);
  });

  test("two that start each other count together", async () => {
    await stored("ping", [starting(false, "pong")]);
    await stored("pong", [starting(false, "ping")]);
    await tasks.started("ping", ["next"]);
    expect(await whenStill("ping", "pong")).toEqual([11, 10]);
    expect(errorOf(await tasks.end("ping", 11))).toContain(sentence);
  });

  test("a start by hand begins to count at none", async () => {
    await tasks.started("ping", ["next"]);
    expect(await whenStill("ping", "pong")).toEqual([22, 20]);
  });
});
