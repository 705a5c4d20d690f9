import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { padded } from "../../shared/base/store/keys/keys.ts";
import { addOperations, someOperation } from "../harness/operations.ts";
import {
  addBuilds,
  addGroups,
  addProjects,
  addReleasePlans,
  addUsers,
  buildPages,
  expectNoDearer,
  groupPages,
  operationPages,
  type PageCost,
  pageCosts,
  projectPages,
  releasePlanPages,
  userPages,
} from "../harness/pageCosts.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});

afterAll(() => slipway.close());

describe("the same page costs the same with many times the records", () => {
  test("of projects", async () => {
    await addProjects(0, 1000);
    const few = await pageCosts(projectPages, "pageNum");
    await addProjects(1000, 10_000);
    expectNoDearer(few, await pageCosts(projectPages, "pageNum"));
  });

  test("of builds", async () => {
    await addBuilds(0, 500);
    const few = await pageCosts(buildPages, "pageNum", 2);
    expect(few[0]?.trips).toBeLessThanOrEqual(2);
    await addBuilds(500, 3000);
    expectNoDearer(few, await pageCosts(buildPages, "pageNum", 2));
  });

  test("of release plans, which may have gaps between their numbers", async () => {
    await addReleasePlans(0, 500);
    const few = await pageCosts(releasePlanPages, "pageNum", 2);
    expect(few[0]?.trips).toBe(2);
    await addReleasePlans(500, 3000);
    expectNoDearer(few, await pageCosts(releasePlanPages, "pageNum", 2));
    const gone = padded(2951);
    expect((await slipway.call("DELETE", `/openapi/release_plan/v1/many-${gone}`)).status).toBe(200);
    const list = async (pageNum: number) => {
      const path = `${releasePlanPages}pageNum=${pageNum}`;
      const { json } = await slipway.call<{ total: number; list: { index: number }[] }>("GET", path);
      return { total: json.total, indexes: json.list.map(({ index }) => index) };
    };
    const numbers = (from: number) => Array.from({ length: 20 }, (_, at) => from - at);
    expect(await list(3)).toEqual({ total: 2999, indexes: [...numbers(2960).filter((at) => at !== 2951), 2940] });
    expect(await list(6)).toEqual({ total: 2999, indexes: numbers(2899) });
    expect((await list(150)).indexes).toEqual(Array.from({ length: 19 }, (_, at) => 19 - at));
    expect((await list(151)).indexes).toEqual([]);
  });

  test("of users and of groups", async () => {
    for (const [add, path] of [
      [addUsers, userPages],
      [addGroups, groupPages],
    ] as const) {
      await add(0, 500);
      const few = await pageCosts(path, "pageNum", 2);
      expect(few[0]?.trips).toBeLessThanOrEqual(2);
      await add(500, 3000);
      expectNoDearer(few, await pageCosts(path, "pageNum", 2));
    }
  });

  test("of the operation log, whatever is searched for", async () => {
    const authentication = 2;
    const mixed = (at: number) => ({
      ...someOperation,
      username: at % 2 === 0 ? "Ada" : "Bob",
      projectKey: at % 3 === 0 ? "many" : "more",
      function: at % 2 === 0 ? ("Test Environment" as const) : ("Label" as const),
      scene: "environment",
      targets: [at % 2 === 0 ? "dev" : "qa"],
      status: at % 2 === 0 ? 200 : 403,
    });
    const searches = [
      operationPages,
      "/openapi/system/operation?searchType=user&username=Ada&perPage=20&",
      "/openapi/system/operation?searchType=user&username=b&perPage=20&",
      "/openapi/system/operation?searchType=project&projectKey=many&perPage=20&",
      "/openapi/system/operation?searchType=project&projectKey=m&perPage=20&",
      "/openapi/system/operation?searchType=function&function=Label&perPage=20&",
      "/openapi/system/operation?searchType=function&function=e&perPage=20&",
      "/openapi/system/operation?searchType=status&status=403&perPage=20&",
      "/openapi/system/operation/env?projectKey=more&envName=qa&searchType=all&perPage=20&",
    ];
    const costs = async () => {
      const found = new Map<string, PageCost[]>();
      for (const search of searches) found.set(search, await pageCosts(search, "page", authentication));
      return found;
    };
    await addOperations(1500, mixed);
    const few = await costs();
    await addOperations(4500, mixed);
    for (const [search, after] of await costs()) expectNoDearer(few.get(search) ?? [], after, search);
    console.log(tableOf(few));
  }, 120_000);
});

function tableOf(costs: ReadonlyMap<string, readonly PageCost[]>): string {
  const lines = [...costs].flatMap(([search, pages]) =>
    pages.map(({ page, trips, units }) => `  ${search.padEnd(90)} ${page}  ${trips}  ${units}`),
  );
  return ["Operation log: search, page, round trips, units", ...lines].join("\n");
}
