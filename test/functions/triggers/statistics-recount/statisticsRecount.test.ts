import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handler } from "../../../../functions/triggers/statistics-recount/handler.ts";
import { statisticKeys } from "../../../../shared/base/store/keys/statisticKeys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { remove } from "../../../../shared/base/store/writes.ts";
import { shifted } from "../../../../shared/reports/statistics/rules/days.ts";
import { countDay } from "../../../../shared/reports/statistics/store/dayCounters.ts";
import { failingDeployment } from "../../../harness/failingDeployments.ts";
import type { Slipway } from "../../../harness/slipway.ts";
import { makeWorkflow, startShop, type tasksOf } from "../../../harness/tasks.ts";
import { addJob } from "../../api/statistics/addJobs.ts";

const path = "/openapi/statistics";

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
});

afterAll(() => slipway.close());

const read = async (at: string) => (await slipway.call<Record<string, unknown>>("GET", `${path}/${at}`)).json;

/** Takes away what statistics wrote, as in a table that is older than they are. */
async function forgetStatistics(days: readonly string[]): Promise<void> {
  const partitions = [
    ...days.map((day) => statisticKeys.jobRow(day, "").pk),
    ...["shop", "*"].map((of) => statisticKeys.statistics("deploy", of, "", 0).pk),
    statisticKeys.overview(0).pk,
    statisticKeys.statisticsSeed().pk,
  ];
  for (const pk of partitions)
    for (const item of await table().query<object>({ pk })) await table().write(remove({ pk: item.pk, sk: item.sk }));
}

describe("the daily recount", () => {
  test("seeds a table that is older than statistics, and finds nothing afterwards", async () => {
    await makeWorkflow("shop", {
      name: "old",
      stages: [{ name: "one", jobs: [{ name: "ship", type: "deploy", spec: failingDeployment }] }],
    });
    for (let count = 0; count < 3; count++) await tasks.end("old", await tasks.started("old", ["ship"]));
    const [numbers, overview] = [await read("deploy"), await read("overview")];
    expect(numbers).toMatchObject({ total: 3 });
    expect(overview).toMatchObject({ workflow_count: 1, cluster_count: 1 });
    await forgetStatistics((numbers.data as { date: string }[]).map(({ date }) => date));
    expect(await read("deploy")).toMatchObject({ total: 0 });
    expect(await read("overview")).toMatchObject({ workflow_count: 0, cluster_count: 0 });
    expect(await handler()).toMatchObject({ seeded: true });
    expect(await read("deploy")).toEqual(numbers);
    expect(await read("overview")).toEqual(overview);
    expect(await handler()).toEqual({ seeded: true, corrected: 0 });
    expect(await read("deploy")).toEqual(numbers);
  });

  test("puts right what was counted wrong on one of the last two days, and only there", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const [yesterday, before, long] = [-1, -2, -3].map((days) => shifted(today, days)) as [string, string, string];
    for (const day of [yesterday, before, long])
      await addJob({ type: "zadig-build", status: "passed", at: `${day}T10:00:00Z` });
    expect(await handler()).toEqual({ seeded: true, corrected: 0 });
    const right = await read("build");
    await table().write(...countDay("build", "shop", yesterday, { success: 1, total: 1 }, 2));
    await table().write(...countDay("test", "shop", before, { failure: 4, total: 4, seconds: 7 }, 1));
    expect(await read("build")).not.toEqual(right);
    expect(await handler()).toEqual({ seeded: true, corrected: 4 });
    expect(await read("build")).toEqual(right);
    expect(await read("test")).toMatchObject({ exec_count: 0, average_runtime: 0 });
    expect(await handler()).toEqual({ seeded: true, corrected: 0 });
  });
});
