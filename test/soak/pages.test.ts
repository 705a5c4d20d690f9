import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addOperations,
  addProjects,
  expectNoDearer,
  operationPages,
  pageCosts,
  projectPages,
} from "../harness/pageCosts.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});

afterAll(() => slipway.close());

describe("the same page costs the same at 1,000 and at 100,000 records", () => {
  test("of projects", async () => {
    await addProjects(0, 1000);
    const few = await pageCosts(projectPages, "pageNum");
    await addProjects(1000, 100_000);
    const many = await pageCosts(projectPages, "pageNum");
    console.log("pages of projects", { "1,000": few, "100,000": many });
    expectNoDearer(few, many);
  });

  test("of the operation log, whatever the page", async () => {
    const authentication = 2;
    await addOperations(1000);
    const few = await pageCosts(operationPages, "page", authentication);
    await addOperations(99_000);
    const many = await pageCosts(operationPages, "page", authentication);
    console.log("pages of the operation log", { "1,000": few, "100,000": many });
    expectNoDearer(few, many);
    expect(new Set(many.map(({ units }) => units)).size).toBe(1);
  });
});
