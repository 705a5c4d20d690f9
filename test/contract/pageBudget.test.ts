import { afterAll, beforeAll, describe, test } from "vitest";
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

describe("the same page costs the same at 1,000 and at 10,000 records", () => {
  test("of projects", async () => {
    await addProjects(0, 1000);
    const few = await pageCosts(projectPages, "pageNum");
    await addProjects(1000, 10_000);
    expectNoDearer(few, await pageCosts(projectPages, "pageNum"));
  });

  test("of the operation log", async () => {
    const authentication = 2;
    await addOperations(1000);
    const few = await pageCosts(operationPages, "page", authentication);
    await addOperations(9000);
    expectNoDearer(few, await pageCosts(operationPages, "page", authentication));
  });
});
