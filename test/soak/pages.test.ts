import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addOperations } from "../harness/operations.ts";
import { addProjects, expectNoDearer, operationPages, pageCosts, projectPages } from "../harness/pageCosts.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";

/** A short run shows that the measurement works; the engine of one machine needs minutes for 100,000 records. */
const many = Number(process.env.SLIPWAY_SOAK_SECONDS ?? 300) >= 300 ? 100_000 : 10_000;
let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});

afterAll(() => slipway.close());

describe(`the same page costs the same at 1,000 and at ${many} records`, () => {
  test("of projects", async () => {
    await addProjects(0, 1000);
    const few = await pageCosts(projectPages, "pageNum");
    await addProjects(1000, many);
    const after = await pageCosts(projectPages, "pageNum");
    console.log("pages of projects", { 1000: few, [many]: after });
    expectNoDearer(few, after);
  });

  test("of the operation log, whatever the page", async () => {
    const authentication = 2;
    await addOperations(1000);
    const few = await pageCosts(operationPages, "page", authentication);
    await addOperations(many - 1000);
    const after = await pageCosts(operationPages, "page", authentication);
    console.log("pages of the operation log", { 1000: few, [many]: after });
    expectNoDearer(few, after);
    expect(new Set(after.map(({ units }) => units)).size).toBe(1);
  });
});
