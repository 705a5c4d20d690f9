import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { count } from "../../../../shared/base/store/counters.ts";
import { keys, lists, padded } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { create } from "../../../../shared/base/store/writes.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { kindsOf, type Measured, operationLogKinds, storeCallsOf, unitsOf } from "../../../harness/storeCallsOf.ts";

const path = "/openapi/projects/project";
let slipway: Slipway;

const newProject = (key: string) => ({ project_key: key, project_name: key, project_type: "yaml", is_public: true });

beforeAll(async () => {
  slipway = await startSlipway();
  for (const key of ["one", "two", "three"])
    expect((await slipway.call("POST", path, { body: newProject(key) })).status).toBe(200);
});

afterAll(() => slipway.close());

/** What a request costs beyond its authentication, which comes first. */
function beyond(measured: Measured, authentication: number): { trips: number; units: number } {
  expect(measured.status).toBe(200);
  const own = measured.calls.slice(authentication);
  return { trips: own.length, units: unitsOf(own) };
}

/** Adds projects as the list sees them, a transaction's worth a time. */
async function addListed(prefix: string, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const added = Array.from({ length: 99 }, (_, at) => `${prefix}-${round}-${at}`);
    await table().write(
      ...added.map((key) => {
        const summary = { projectKey: key, name: key, description: "", projectType: "yaml" };
        const listing = { listPk: lists.projects, listSk: `${padded(1)}#${key}`, summary };
        return create({ ...keys.project(key), type: "project", ...listing });
      }),
      count("projects", added.length),
    );
  }
}

describe("the store's part in a request", () => {
  test.each([
    ["the list", path, 4],
    ["the detail", `${path}/detail?projectKey=one`, 2],
    ["the definitions of global variables", `${path}/globalVariable?projectKey=one`, 2],
  ])("reading %s costs at most two round trips and 1.5 units", async (_, from, authentication) => {
    const { trips, units } = beyond(await storeCallsOf("GET", from), authentication);
    expect(trips).toBeLessThanOrEqual(2);
    expect(units).toBeLessThanOrEqual(1.5);
  });

  test("a page costs the same however many projects there are", async () => {
    await addListed("some", 1);
    const pages = ["?pageNum=1", "?pageNum=2"];
    const costs = async () =>
      Promise.all(pages.map(async (query) => beyond(await storeCallsOf("GET", path + query), 3)));
    const few = await costs();
    await addListed("more", 10);
    expect(await costs()).toEqual(few);
  });

  test("creating a project is one read of the role numbers and one transaction", async () => {
    const measured = await storeCallsOf("POST", path, { body: newProject("four") });
    expect(measured.status).toBe(200);
    expect(kindsOf(measured, 2)).toEqual(["write", "add", "write", ...operationLogKinds]);
  });
});
