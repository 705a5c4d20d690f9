import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { handler } from "../../../../functions/triggers/reconciler/handler.ts";
import { enableReconciler } from "../../../../shared/base/reconciling/enableReconciler.ts";
import { config } from "../../../../shared/base/settings/config.ts";
import { environmentBody } from "../../../harness/boutique.ts";
import { deploymentYaml } from "../../../harness/manifests.ts";
import type { Slipway } from "../../../harness/slipway.ts";
import { makeWorkflow, startShop, type tasksOf } from "../../../harness/tasks.ts";
import { waitFor } from "../../../harness/waitFor.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop({ podDelayMilliseconds: 0, settings: { SLIPWAY_READY_SECONDS: "1" } }));
});

afterAll(async () => {
  await slipway.close();
});

async function state(): Promise<string | undefined> {
  const { SLIPWAY_RECONCILER_SCHEDULE: name } = config();
  return slipway.runtime.aws.schedules.get(name)?.definition.State;
}

/** Runs the reconciler, as its schedule would, until it switches that off. */
const untilOff = () =>
  waitFor("the schedule to be off", async () => {
    await handler();
    return (await state()) === "DISABLED";
  });

describe("the reconciler's schedule", () => {
  test("goes off after two looks that found nothing, with nobody calling between them", async () => {
    // The look of the start itself may still be under way, and counts as one.
    await waitFor("three looks that no other one disturbs", async () => {
      await untilOff();
      await enableReconciler();
      const states = [await state()];
      expect(await handler()).toEqual({ open: 0 });
      states.push(await state());
      await enableReconciler();
      for (let looks = 0; looks < 2; looks++) {
        expect(await handler()).toEqual({ open: 0 });
        states.push(await state());
      }
      return states.join() === "ENABLED,ENABLED,ENABLED,DISABLED";
    });
  });

  test("stays on where somebody called while the reconciler was about to stop", async () => {
    await enableReconciler();
    await handler();
    await Promise.all([handler(), enableReconciler(), enableReconciler()]);
    expect(await state()).toBe("ENABLED");
  });

  test("goes off after a task failed", async () => {
    const job = { name: "first", type: "freestyle", spec: { script: "true", script_type: "powershell" } };
    await makeWorkflow("shop", { name: "failing", stages: [{ name: "one", jobs: [job] }] });
    const id = await tasks.started("failing", ["first"]);
    expect((await tasks.end("failing", id)).status).toBe("failed");
    await untilOff();
  });

  test("goes off after a change whose workloads never became ready, and after its environment went", async () => {
    const yaml = deploymentYaml("late", "late:missing");
    const body = { service_name: "late", yaml };
    expect((await slipway.call("POST", "/openapi/service/yaml/raw?projectKey=shop", { body })).status).toBe(200);
    const environment = { ...environmentBody("dev", "shop-dev"), services: [{ service_name: "late" }] };
    const path = "/openapi/environments?projectKey=shop";
    expect((await slipway.call("POST", path, { body: environment })).status).toBe(200);
    await waitFor("the change to end", async () => {
      const { json } = await slipway.call<{ stored_status: string }>(
        "GET",
        "/openapi/environments/dev?projectKey=shop",
      );
      return !["creating", "updating"].includes(json.stored_status);
    });
    await untilOff();
    const gone = await slipway.call("DELETE", "/openapi/environments/dev?projectKey=shop&isDelete=true");
    expect(gone.status, gone.text).toBe(200);
    await untilOff();
  });
});
