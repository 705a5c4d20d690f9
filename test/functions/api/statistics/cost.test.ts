import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handler as recount } from "../../../../functions/triggers/statistics-recount/handler.ts";
import { statisticKeys } from "../../../../shared/base/store/keys/statisticKeys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { create } from "../../../../shared/base/store/writes.ts";
import { listPrices } from "../../../../shared/reports/costs/rules/prices.ts";
import { addCost, costWrites } from "../../../../shared/reports/costs/store/costDays.ts";
import { setPrices } from "../../../../shared/reports/costs/store/prices.ts";
import { shifted } from "../../../../shared/reports/statistics/rules/days.ts";
import { failingDeployment } from "../../../harness/failingDeployments.ts";
import { newPerson } from "../../../harness/people.ts";
import type { Slipway } from "../../../harness/slipway.ts";
import { storeCallsOf, unitsOf } from "../../../harness/storeCallsOf.ts";
import { makeGates, makeWorkflow, type ShownTask, startShop, type tasksOf } from "../../../harness/tasks.ts";
import { at } from "./addJobs.ts";

const path = "/openapi/statistics/cost";

interface Costs {
  currency: string;
  total: number;
  data: {
    project_key: string;
    workflow_key: string;
    total: number;
    parts: Record<string, { amount: number; cost: number }>;
  }[];
}

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
});

afterAll(() => slipway.close());

async function read(query = "", token?: string): Promise<Costs> {
  const options = token === undefined ? {} : { token };
  const { status, json, text } = await slipway.call<Costs>("GET", `${path}?${query}`, options);
  expect(status, text).toBe(200);
  return json;
}

const nothing = { currency: "USD", total: 0, data: [] };
const today = new Date().toISOString().slice(0, 10);
const names = ({ data }: Costs) => data.map(({ project_key, workflow_key }) => `${project_key}/${workflow_key}`);
const costOf = (task: ShownTask) => (task as ShownTask & { cost: Omit<Costs, "data"> & { parts: object } }).cost;

/** One vCPU for so many hours, on a day that is over. */
const hours = async (projectKey: string, workflowKey: string, day: string, count: number) => {
  const used = { cpuMilliSeconds: 3_600_000 * count };
  const counters = [
    { of: projectKey, part: workflowKey },
    { of: "*", part: projectKey },
  ];
  await table().write(...counters.map((counter) => addCost(counter, day, used)));
};

describe("what tasks cost", () => {
  test("is nothing before anything ran", async () => {
    expect(await read()).toEqual(nothing);
    expect(await read("projectKey=shop&startDate=0&endDate=86400")).toEqual(nothing);
  });

  test("is counted at the moment that a task is over, once, and agrees with the task", async () => {
    await makeGates("shop", "gates", [2, 1]);
    const task = await tasks.end("gates", await tasks.started("gates", []));
    const { currency, total, parts } = costOf(task);
    const row = { project_key: "shop", workflow_key: "gates", total, parts };
    expect(await read()).toEqual({ currency, total, data: [row] });
    await slipway.runtime.reconcile();
    expect(await read("projectKey=shop")).toEqual({ currency, total, data: [row] });
    const second = await tasks.end("gates", await tasks.started("gates", []));
    expect((await read()).data[0]?.parts.transitions?.amount).toBe(2 * (4 + 2 * 3 + 3 * 5));
    expect(costOf(second).total).toBe(total);
  });

  test("of retries is counted by what came since", async () => {
    await makeWorkflow("shop", {
      name: "again",
      stages: [
        { name: "one", jobs: [{ name: "ship", type: "deploy", spec: { ...failingDeployment, production: true } }] },
      ],
    });
    const id = await tasks.started("again", ["ship"]);
    await tasks.end("again", id);
    for (let retry = 0; retry < 2; retry++) {
      const before = (await read("projectKey=shop")).data.find(({ workflow_key }) => workflow_key === "again");
      expect((await tasks.retry("again", id)).status).toBe(200);
      await tasks.until("again", id, "begun again", ({ status, end_time }) => status === "failed" && !!end_time);
      const after = (await read("projectKey=shop")).data.find(({ workflow_key }) => workflow_key === "again");
      expect(after?.parts.transitions?.amount).toBe((before?.parts.transitions?.amount ?? 0) + 4 + 3 + 5);
      expect(after).toMatchObject({ parts: costOf(await tasks.read("again", id)).parts });
    }
  });

  test("is told by workflow, the dearest first, for whole days, of the named projects or of all", async () => {
    await setPrices({ ...listPrices, currency: "EUR", vcpuHour: 1 });
    await hours("books", "small", "2026-03-01", 1);
    await hours("books", "large", "2026-03-02", 4);
    await hours("books", "small", "2026-03-03", 2);
    await hours("toys", "wörk flow/~", "2026-03-03", 8);
    const march = (first: number, last: number) =>
      `startDate=${at(`2026-03-0${first}T15:00:00Z`)}&endDate=${at(`2026-03-0${last}T15:30:00Z`)}`;
    const all = await read(march(1, 4));
    expect(all).toMatchObject({ currency: "EUR", total: 15 });
    expect(all.data.map(({ workflow_key, total }) => [workflow_key, total])).toEqual([
      ["wörk flow/~", 8],
      ["large", 4],
      ["small", 3],
    ]);
    expect(await read(`${march(1, 2)}&productNames=books,toys`)).toMatchObject({ total: 5 });
    expect(names(await read(`${march(3, 3)}&projectKey=books&projectName=toys`))).toEqual([
      "toys/wörk flow/~",
      "books/small",
    ]);
    expect((await read(march(4, 4))).data).toEqual([]);
    await setPrices(listPrices);
  });
});

describe("the daily recount", () => {
  test("puts right what was counted wrong on one of the last two days", async () => {
    const yesterday = shifted(today, -1);
    const used = { transitions: 12, readUnits: 3 };
    const row = { projectKey: "shop", workflowKey: "missed", taskId: 1 };
    const key = statisticKeys.costRow(yesterday, "0123456789abcdef01234567-1");
    await table().write(create({ ...key, type: "cost-row", ...row, ...used }));
    await table().write(addCost({ of: "shop", part: "too-much" }, yesterday, { writeUnits: 7 }));
    expect(await recount()).toMatchObject({ seeded: true });
    const range = `startDate=${at(`${yesterday}T12:00:00Z`)}&endDate=${at(`${yesterday}T12:00:00Z`)}`;
    const counted = await read(range);
    const amounts = (workflow: string) => counted.data.find(({ workflow_key }) => workflow_key === workflow)?.parts;
    expect(amounts("missed")).toMatchObject({ transitions: { amount: 12 }, read_units: { amount: 3 } });
    expect(amounts("too-much")).toMatchObject({ write_units: { amount: 0 } });
    expect(await recount()).toEqual({ seeded: true, corrected: 0 });
  });

  test("of a task the row is written once", async () => {
    const row = { projectKey: "shop", workflowKey: "once", taskId: 1, id: "f".repeat(24), used: { transitions: 1 } };
    await table().write(...costWrites(row));
    await expect(table().write(...costWrites(row))).rejects.toThrow();
    const { data } = await read("projectKey=shop");
    expect(data.find(({ workflow_key }) => workflow_key === "once")?.parts.transitions?.amount).toBe(1);
  });
});

describe("who may, and what it takes", () => {
  test("the system administrator of all, a project administrator of projects that are named", async () => {
    const member = await newPerson("member", [{ namespace: "shop", roles: { "read-only": [] } }]);
    const admin = await newPerson("shop-admin", [{ namespace: "shop", roles: { "project-admin": [] } }]);
    const refused = async (query: string, token: string) => {
      const { status, json } = await slipway.call<{ description: string }>("GET", `${path}?${query}`, { token });
      expect({ status, query }).toEqual({ status: 403, query });
      return json.description;
    };
    for (const query of ["", "projectKey=shop", "projectKey=books"])
      expect(await refused(query, member.token)).toBe(
        "requires the system administrator, or the project administrator",
      );
    expect(await refused("", admin.token)).toContain("name projects that you administer by projectKey");
    for (const query of ["projectKey=books", "projectKey=shop,books", "projectKey=shop&productNames=nowhere"])
      expect(await refused(query, admin.token)).toMatch(
        /^requires the project administrator of project (books|nowhere)$/,
      );
    const own = await read("projectKey=shop", admin.token);
    expect(new Set(own.data.map(({ project_key }) => project_key))).toEqual(new Set(["shop"]));
    expect(own).toEqual(await read("projectKey=shop"));
    expect((await slipway.call("GET", path, { token: "wrong" })).status).toBe(401);
  });

  test("what is asked wrongly gets a 400 that says what would be right", async () => {
    const many = Array.from({ length: 51 }, (_, number) => `p${number}`).join(",");
    for (const [query, sentence] of [
      ["startDate=1", "endDate is missing"],
      ["startDate=10&endDate=9", "endDate is before startDate"],
      [`startDate=0&endDate=${366 * 86_400}`, "more than 365 days"],
      ["startDate=soon&endDate=1", "startDate"],
      [`projectKey=${many}`, "more than 50 projects"],
    ]) {
      const { status, json } = await slipway.call<{ description: string }>("GET", `${path}?${query}`);
      expect({ status, query }).toEqual({ status: 400, query });
      expect(json.description).toContain(sentence);
    }
  });

  test("a year costs one query of a project and two of all, and half a unit for every 4 KB of counters", async () => {
    for (let day = 0; day < 365; day++)
      await hours("year", "daily", new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10), 1);
    const range = `startDate=${at("2024-01-01T00:00:00Z")}&endDate=${at("2024-12-30T00:00:00Z")}`;
    for (const [query, queries] of [
      [`${range}&projectKey=year`, 1],
      [range, 2],
    ] as const) {
      const { status, body, calls } = await storeCallsOf("GET", `${path}?${query}`);
      expect(status).toBe(200);
      expect(JSON.parse(body).data).toMatchObject([
        { workflow_key: "daily", parts: { vcpu_seconds: { amount: 365 * 3600 } } },
      ]);
      const own = calls.slice(4);
      expect(own.map(({ kind }) => kind)).toEqual(Array(queries).fill("query"));
      // About 90 bytes each.
      expect(unitsOf(own)).toBeLessThanOrEqual(queries * ((365 * 100) / 4096 / 2 + 1));
    }
  });
});
