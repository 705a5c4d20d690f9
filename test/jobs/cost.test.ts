import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { controlPlane } from "../../shared/reports/costs/rules/controlPlane.ts";
import { listPrices } from "../../shared/reports/costs/rules/prices.ts";
import { setPrices } from "../../shared/reports/costs/store/prices.ts";
import type { Slipway } from "../harness/slipway.ts";
import { makeGates, makeWorkflow, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop({ podDelayMilliseconds: 0 }));
});

afterAll(() => slipway?.close());

interface Cost {
  currency: string;
  total: number;
  parts: Record<string, { amount: number; cost: number }>;
}

const costOf = (task: ShownTask) => (task as ShownTask & { cost: Cost }).cost;
const amountsOf = (task: ShownTask) => {
  const { vcpu_seconds, gb_seconds, transitions } = costOf(task).parts;
  return { vcpu: vcpu_seconds?.amount ?? 0, gb: gb_seconds?.amount ?? 0, transitions: transitions?.amount };
};

/** A job that requests half a vCPU and 512 MiB. */
const sized = (name: string, script: string, more: object = {}) => ({
  ...{ name, type: "freestyle", ...more },
  spec: {
    ...{ runtime: { infrastructure: "kubernetes", build_os: "ubuntu 20.04" }, script_type: "shell", script },
    advanced_setting: {
      res_req: "define",
      res_req_spec: { cpu_limit: 2000, memory_limit: 1024, cpu_req: 500, memory_req: 512 },
    },
  },
});

describe("the cost of a task", () => {
  test("holds what its pods requested for as long as they ran, at the prices of now", async () => {
    await makeWorkflow("shop", { name: "sized", stages: [{ name: "one", jobs: [sized("work", "sleep 3")] }] });
    const task = await tasks.end("sized", await tasks.started("sized", ["work"]));
    const { vcpu, gb } = amountsOf(task);
    const [job] = task.stages[0]?.jobs ?? [];
    // The pod ran at least as long as its script and no longer than its job; its clock counts whole seconds.
    expect(vcpu).toBeGreaterThanOrEqual(1.5);
    expect(vcpu).toBeLessThanOrEqual(0.5 * ((job?.end_time ?? 0) - (job?.start_time ?? 0) + 1));
    expect(gb).toBe(vcpu);
    const { currency, total, parts } = costOf(task);
    expect(currency).toBe("USD");
    expect(parts.vcpu_seconds?.cost).toBeCloseTo((vcpu * 0.04048) / 3600, 6);
    expect(total).toBeCloseTo(
      Object.values(parts).reduce((sum, { cost }) => sum + cost, 0),
      5,
    );
    await setPrices({ ...listPrices, currency: "EUR", vcpuHour: 3600, gbHour: 0 });
    const dearer = costOf(await tasks.read("sized", task.task_id));
    expect(dearer).toMatchObject({ currency: "EUR", parts: { vcpu_seconds: { amount: vcpu, cost: vcpu } } });
    expect(dearer.parts.gb_seconds).toEqual({ amount: gb, cost: 0 });
    await setPrices(listPrices);
  });

  test("holds every try of a job, and what was cancelled as far as it came", async () => {
    const policy = { error_policy: { policy: "retry", maximum_retry: 1 } };
    const failing = sized("work", "sleep 2; exit 1", policy);
    await makeWorkflow("shop", { name: "tries", stages: [{ name: "one", jobs: [failing] }] });
    const tried = await tasks.end("tries", await tasks.started("tries", ["work"]));
    expect(amountsOf(tried).vcpu).toBeGreaterThanOrEqual(2);
    expect(amountsOf(tried).transitions).toBe(4 + 3 + 5 + 4);
    await makeWorkflow("shop", { name: "long", stages: [{ name: "one", jobs: [sized("work", "sleep 600")] }] });
    const id = await tasks.started("long", ["work"]);
    await tasks.until("long", id, "running", ({ stages }) => stages[0]?.jobs[0]?.status === "running");
    await new Promise((resolve) => setTimeout(resolve, 2500));
    await tasks.cancel("long", id);
    const cancelled = await tasks.end("long", id);
    await waitFor("the pod to be counted", async () => amountsOf(await tasks.read("long", id)).vcpu >= 1);
    expect(amountsOf(cancelled).vcpu).toBeLessThan(10);
  });

  test("goes on over retries of the task, which keep what they cost before", async () => {
    const jobs = [sized("work", "sleep 2; exit 1")];
    await makeWorkflow("shop", { name: "again", stages: [{ name: "one", jobs }] });
    const id = await tasks.started("again", ["work"]);
    const first = amountsOf(await tasks.end("again", id));
    expect((await tasks.retry("again", id)).status).toBe(200);
    const waiting = await tasks.read("again", id);
    expect(amountsOf(waiting).vcpu).toBe(first.vcpu);
    await tasks.until("again", id, "running", ({ status }) => status === "running");
    const second = amountsOf(await tasks.end("again", id));
    expect(second.vcpu).toBeGreaterThanOrEqual(first.vcpu + 1);
    expect(second.transitions).toBe(2 * (4 + 3 + 5));
  });

  test("of a task without pods is that of the control plane alone, and grows with its jobs and stages", async () => {
    await makeGates("shop", "gates", [2, 1]);
    const task = await tasks.end("gates", await tasks.started("gates", []));
    expect(amountsOf(task)).toEqual({ vcpu: 0, gb: 0, transitions: 4 + 2 * 3 + 3 * 5 });
    const { execution, stage, job } = controlPlane;
    const requests = [execution, stage, stage, job, job, job].reduce((sum, one) => sum + (one.lambdaRequests ?? 0), 0);
    expect(costOf(task).parts.lambda_requests?.amount).toBe(requests);
  });
});
