import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConcurrency } from "../../../../shared/workflows/records/concurrency.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

const path = "/api/aslan/system/concurrency/workflow";
let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});
afterAll(() => slipway.close());

describe("how much may run at once", () => {
  test("is 50 workflow tasks and 10 jobs of a stage until it is set, and then what was set", async () => {
    expect((await slipway.call("GET", path)).json).toEqual({ workflow_concurrency: 50, build_concurrency: 10 });
    const answer = await slipway.call("POST", path, { body: { workflow_concurrency: 3, build_concurrency: 1 } });
    expect([answer.status, answer.json]).toEqual([200, { message: "success" }]);
    expect((await slipway.call("GET", path)).json).toEqual({ workflow_concurrency: 3, build_concurrency: 1 });
    expect(await readConcurrency()).toEqual({ workflowConcurrency: 3, buildConcurrency: 1 });
  });

  test.each([
    [{ workflow_concurrency: 0, build_concurrency: 1.5 }, ["build_concurrency", "workflow_concurrency"]],
    [{ workflow_concurrency: 1001, build_concurrency: "1" }, ["build_concurrency", "workflow_concurrency"]],
    [{ workflow_concurrency: 1 }, ["build_concurrency"]],
  ])("is refused naming each field that is wrong: %j", async (body, fields) => {
    const answer = await slipway.call<{ code: number; extra: { problems: { path: string }[] } }>("POST", path, {
      body,
    });
    expect([answer.status, answer.json.code]).toEqual([400, 400]);
    expect(answer.json.extra.problems.map((problem) => problem.path).sort()).toEqual(fields);
  });
});
