import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { failingDeployment } from "../../../harness/failingDeployments.ts";
import { newPerson } from "../../../harness/people.ts";
import type { Slipway } from "../../../harness/slipway.ts";
import { storeCallsOf, unitsOf } from "../../../harness/storeCallsOf.ts";
import { makeWorkflow, startShop, type tasksOf } from "../../../harness/tasks.ts";
import { addJob, at } from "./addJobs.ts";

const path = "/openapi/statistics";

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
});

afterAll(() => slipway.close());

const read = async (at: string) => {
  const { status, json, text } = await slipway.call<Record<string, unknown>>("GET", `${path}/${at}`);
  expect(status, text).toBe(200);
  return json;
};

async function refused(at: string): Promise<string> {
  const { status, json } = await slipway.call<{ code: number; description: string }>("GET", `${path}/${at}`);
  expect({ status, code: json.code }).toEqual({ status: 400, code: 400 });
  return json.description;
}

describe("before anything ended", () => {
  test("numbers are zero and lists empty", async () => {
    expect(await read("build")).toEqual({ total: 0, success: 0, data: [] });
    expect(await read("deploy?startDate=0&endDate=86400")).toEqual({ total: 0, success: 0, data: [] });
    const none = { case_count: 0, exec_count: 0, success_count: 0, average_runtime: 0, data: [] };
    expect(await read("test?productNames=nothing-here")).toEqual(none);
    expect(await read("v2/release")).toEqual({ total: 0, success_count: 0, daily_stat: [] });
    const range = "startTime=0&endTime=86400&pageSize=20&pageNum=1";
    expect(await read(`v2/rollback/detail?${range}`)).toEqual({ total: 0, data: [] });
  });
});

describe("the end of a job", () => {
  test("is counted once, at the moment it is seen, and a retry of the task counts again", async () => {
    const jobs = [{ name: "ship", type: "deploy", spec: { ...failingDeployment, production: true } }];
    await makeWorkflow("shop", { name: "counted", stages: [{ name: "one", jobs }] });
    const id = await tasks.started("counted", ["ship"]);
    const { stages } = await tasks.end("counted", id);
    expect(stages[0]?.jobs[0]?.status).toBe("failed");
    const today = new Date((stages[0]?.jobs[0]?.start_time ?? 0) * 1000).toISOString().slice(0, 10);
    const once = { date: today, success: 0, failure: 1, failed: 1, timeout: 0, total: 1 };
    expect(await read("deploy")).toEqual({ total: 1, success: 0, data: [once] });
    const release = { date: today, total: 1, success_count: 0, fail_count: 1 };
    expect(await read("v2/release")).toEqual({ total: 1, success_count: 0, daily_stat: [release] });
    expect(await read("build")).toEqual({ total: 0, success: 0, data: [] });
    await slipway.runtime.reconcile();
    expect(await read("deploy?projectKey=shop")).toMatchObject({ total: 1 });
    expect(await read("deploy?projectKey=elsewhere")).toMatchObject({ total: 0, data: [] });
    expect((await tasks.retry("counted", id)).status).toBe(200);
    await tasks.until("counted", id, "over again", ({ stages: [stage] }) => {
      const [job] = stage?.jobs ?? [];
      return job?.status === "failed" && job.end_time !== undefined;
    });
    await tasks.end("counted", id);
    expect(await read("deploy")).toMatchObject({ total: 2, data: [{ total: 2, failure: 2 }] });
  });
});

describe("numbers by day", () => {
  beforeAll(async () => {
    await addJob({ type: "zadig-build", status: "passed", at: "2026-03-01T00:00:00Z" });
    await addJob({ type: "zadig-build", status: "failed", at: "2026-03-01T23:59:59Z" });
    await addJob({ type: "zadig-build", status: "timeout", at: "2026-03-02T12:00:00Z" });
    await addJob({ type: "zadig-build", status: "cancelled", at: "2026-03-02T12:00:00Z" });
    await addJob({ type: "zadig-build", status: "passed", at: "2026-03-04T12:00:00Z", projectKey: "books" });
    // A task that waited over midnight: the build counts under its creation, the deployment under its own start.
    const overnight = { at: "2026-03-09T23:00:00Z", started: "2026-03-10T01:00:00Z", projectKey: "night" };
    await addJob({ type: "zadig-build", status: "passed", ...overnight });
    await addJob({ type: "zadig-deploy", status: "passed", production: true, ...overnight });
    await addJob({ type: "custom-deploy", status: "passed", production: true, ...overnight });
    await addJob({ type: "zadig-deploy", status: "cancelled", production: true, ...overnight });
    await addJob({ type: "zadig-deploy", status: "skipped", production: true, ...overnight });
    await addJob({ type: "zadig-deploy", status: "failed", ...overnight });
  });

  const march = (first: number, last: number) =>
    `startDate=${at(`2026-03-0${first}T15:00:00Z`)}&endDate=${at(`2026-03-0${last}T15:30:00Z`)}`;

  test("cover whole days from the first to the last, of all projects or of the named ones", async () => {
    const [first, second, fourth] = [
      { date: "2026-03-01", success: 1, failure: 1, timeout: 0, total: 2 },
      { date: "2026-03-02", success: 0, failure: 0, timeout: 1, total: 1 },
      { date: "2026-03-04", success: 1, failure: 0, timeout: 0, total: 1 },
    ];
    expect(await read(`build?${march(1, 4)}`)).toEqual({ total: 4, success: 2, data: [first, second, fourth] });
    expect(await read(`build?${march(2, 4)}`)).toEqual({ total: 2, success: 1, data: [second, fourth] });
    expect(await read(`build?${march(3, 3)}`)).toEqual({ total: 0, success: 0, data: [] });
    const shop = { total: 3, success: 1, data: [first, second] };
    for (const filter of [
      "productNames=shop",
      "projectKey=shop",
      "projectName=shop",
      "productNames=shop&projectKey=shop",
    ])
      expect(await read(`build?${march(1, 4)}&${filter}`), filter).toEqual(shop);
    for (const filter of [
      "productNames=shop,books",
      "productNames=shop&productNames=books",
      "productNames=shop&projectName=books",
    ])
      expect(await read(`build?${march(1, 4)}&${filter}`), filter).toMatchObject({ total: 4, data: [{}, {}, {}] });
  });

  test("builds count under the creation of their task, deployments under their start, releases only in production", async () => {
    expect(await read("build?projectKey=night")).toMatchObject({ data: [{ date: "2026-03-09" }] });
    const deploys = { date: "2026-03-10", success: 2, failure: 1, failed: 1, timeout: 0, total: 3 };
    expect(await read("deploy?projectKey=night")).toEqual({ total: 3, success: 2, data: [deploys] });
    const range = `start_time=${at("2026-03-09T00:00:00Z")}&end_time=${at("2026-03-10T12:00:00Z")}&project_name=night`;
    const releases = { date: "2026-03-10", total: 2, success_count: 1, fail_count: 0 };
    expect(await read(`v2/release?${range}`)).toEqual({ total: 2, success_count: 1, daily_stat: [releases] });
  });

  test("tests are shown by calendar week, with the mean of their times", async () => {
    for (const [status, day, seconds] of [
      ["passed", "2026-01-04", 10],
      ["failed", "2026-01-05", 20],
      ["timeout", "2026-01-11", 31],
      ["passed", "2026-01-25", 40],
      ["cancelled", "2026-01-25", 4000],
    ] as const)
      await addJob({ type: "zadig-test", status, at: `${day}T08:00:00Z`, seconds, projectKey: "tests" });
    expect(await read("test?projectKey=tests")).toEqual({
      ...{ case_count: 0, exec_count: 4, success_count: 2, average_runtime: 25 },
      data: [
        { date: "2025-12-29", success_count: 1, timeout_count: 0, failed_count: 0 },
        { date: "2026-01-05", success_count: 0, timeout_count: 1, failed_count: 1 },
        { date: "2026-01-19", success_count: 1, timeout_count: 0, failed_count: 0 },
      ],
    });
  });

  test("what several transactions counted at once is all there", async () => {
    const jobs = Array.from({ length: 60 }, (_, number) => (number % 3 === 0 ? "failed" : "passed"));
    await Promise.all(
      jobs.map((status) => addJob({ type: "zadig-build", status, at: "2026-05-05T05:00:00Z", projectKey: "crowd" })),
    );
    const day = { date: "2026-05-05", success: 40, failure: 20, timeout: 0, total: 60 };
    expect(await read("build?projectKey=crowd")).toEqual({ total: 60, success: 40, data: [day] });
  });
});

describe("what is asked wrongly", () => {
  test("gets a 400 that says what would be right", async () => {
    expect(await refused("build?startDate=1")).toContain("endDate is missing");
    expect(await refused("deploy?endDate=1")).toContain("startDate is missing");
    expect(await refused("test?startDate=10&endDate=9")).toContain("endDate is before startDate");
    expect(await refused(`build?startDate=0&endDate=${10 * 365 * 86_400}`)).toContain("more than 365 days");
    expect(await refused("build?startDate=yesterday&endDate=1")).toContain("startDate");
    expect(await refused("build?startDate=1&endDate=1774000000000")).toContain("Unix seconds");
    expect(await refused("v2/release?startTime=1")).toContain("endTime is missing");
    expect(await refused("v2/release?startTime=2&endTime=1")).toContain("invalid time range");
    expect(await refused(`v2/release?startTime=0&endTime=${366 * 86_400}`)).toContain("less than 365 days");
    expect(await refused("v2/rollback/detail?pageSize=20&startTime=1")).toContain("endTime");
    expect(await refused("v2/rollback/detail?startTime=1&endTime=2")).toContain("pageSize is empty");
    expect(await refused("v2/rollback/detail?startTime=1&endTime=2&pageSize=0")).toContain("pageSize is empty");
    const many = Array.from({ length: 51 }, (_, number) => `p${number}`).join(",");
    expect(await refused(`build?productNames=${many}`)).toContain("more than 50 projects");
  });
});

describe("the overview", () => {
  test("follows what is made and deleted", async () => {
    const before = await read("overview");
    const more = (changes: Record<string, number>) => ({
      ...before,
      ...Object.fromEntries(Object.entries(changes).map(([name, change]) => [name, Number(before[name]) + change])),
    });
    expect(before).toMatchObject({
      project_count: 1,
      cluster_count: 1,
      service_count: 0,
      env_count: 0,
      artifact_count: 0,
    });
    const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    const init = {
      ...{ project_name: "two", project_key: "two", env_list: [] },
      service_list: ["web", "api"].map((service_name) => ({ service_name, source: "yaml", yaml })),
    };
    const made = await slipway.call("POST", "/openapi/projects/project/init/yaml", { body: init });
    expect(made.status, made.text).toBe(200);
    const raw = { service_name: "extra", yaml };
    for (const kind of ["", "production/"])
      await slipway.call("POST", `/openapi/service/yaml/${kind}raw?projectKey=two`, { body: raw });
    await makeWorkflow("two", { name: "more", stages: [] });
    expect(await read("overview")).toEqual(more({ project_count: 1, service_count: 3, workflow_count: 1 }));
    for (let times = 0; times < 2; times++) await slipway.call("DELETE", "/openapi/service/yaml/extra?projectKey=two");
    expect(await read("overview")).toEqual(more({ project_count: 1, service_count: 2, workflow_count: 1 }));
    await slipway.call("DELETE", "/openapi/projects/project?projectKey=two&isDelete=false");
    await slipway.runtime.reconcile();
    await expect.poll(() => read("overview"), { timeout: 20_000 }).toEqual(before);
  });
});

describe("who may, and what it costs", () => {
  test("whoever holds a role sees the numbers", async () => {
    const nobody = await newPerson("nobody");
    const member = await newPerson("member", [{ namespace: "shop", roles: { "read-only": [] } }]);
    for (const at of ["overview", "build", "deploy", "test", "v2/release"]) {
      expect((await slipway.call("GET", `${path}/${at}`, { token: nobody.token })).status, at).toBe(403);
      expect((await slipway.call("GET", `${path}/${at}`, { token: member.token })).status, at).toBe(200);
    }
  });

  test("a year costs two round trips and a unit for every 4 KB, however much was counted", async () => {
    for (let day = 0; day < 365; day++) {
      const date = new Date(Date.UTC(2024, 0, 1 + day)).toISOString();
      await addJob({ type: "zadig-build", status: "passed", at: date, projectKey: "year" });
    }
    const range = `startDate=${at("2024-01-01T00:00:00Z")}&endDate=${at("2024-12-30T00:00:00Z")}`;
    const { status, body, calls } = await storeCallsOf("GET", `${path}/build?${range}&projectKey=year`);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ total: 365 });
    const own = calls.slice(4);
    expect(own).toHaveLength(1);
    expect(unitsOf(own)).toBeLessThanOrEqual(1.5 + Math.floor(body.length / 4096));
  });
});
