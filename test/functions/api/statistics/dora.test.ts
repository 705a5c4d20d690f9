import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handler as recount } from "../../../../functions/triggers/statistics-recount/handler.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { shifted } from "../../../../shared/reports/statistics/rules/days.ts";
import { countDay } from "../../../../shared/reports/statistics/store/dayCounters.ts";
import { takenBackWrites } from "../../../../shared/reports/statistics/store/deliveredServices.ts";
import { failingDeployment } from "../../../harness/failingDeployments.ts";
import { newPerson } from "../../../harness/people.ts";
import type { Slipway } from "../../../harness/slipway.ts";
import { storeCallsOf, unitsOf } from "../../../harness/storeCallsOf.ts";
import { makeWorkflow, startShop, type tasksOf } from "../../../harness/tasks.ts";
import { addJob, at } from "./addJobs.ts";

const path = "/openapi/statistics/dora";

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
});

afterAll(() => slipway.close());

async function read(query: string, token?: string): Promise<Record<string, unknown>> {
  const options = token === undefined ? {} : { token };
  const { status, json, text } = await slipway.call<Record<string, unknown>>("GET", `${path}?${query}`, options);
  expect(status, text).toBe(200);
  return json;
}

const none = { passed: 0, failed: 0, rolled_back: 0, lead_time_seconds: null, time_to_restore_seconds: null };
const nothing = { deployment_frequency: 0, change_failure_rate: null, ...none, data: [] };

/** A deployment to production that ended then; the hour is that of its end. */
const deployed = (status: string, ended: string, more: object = {}) =>
  addJob({
    ...{ type: "zadig-deploy", status, production: true, envKey: "live", service: "web" },
    ...{ at: ended, seconds: 0, ...more },
  });

const takeBack = async (place: { projectKey: string; service: string }, ended: string) => {
  const writes = await takenBackWrites({ envKey: "live", ...place }, at(ended));
  if (writes.length > 0) await table().write(...writes);
};

describe("the four figures", () => {
  test("are zero or unknown before anything was deployed", async () => {
    expect(await read("projectKey=shop")).toEqual(nothing);
    expect(await read("startDate=0&endDate=86400")).toEqual(nothing);
  });

  test("count a deployment at the moment its job is seen to have ended", async () => {
    const jobs = [{ name: "ship", type: "deploy", spec: { ...failingDeployment, production: true } }];
    await makeWorkflow("shop", { name: "counted", stages: [{ name: "one", jobs }] });
    const id = await tasks.started("counted", ["ship"]);
    await tasks.end("counted", id);
    const once = { ...none, failed: 1 };
    expect(await read("projectKey=shop")).toMatchObject({ ...once, change_failure_rate: 1, data: [once] });
    await slipway.runtime.reconcile();
    expect(await read("projectKey=shop")).toMatchObject(once);
  });

  test("tell how often, how late, how many failed and for how long", async () => {
    const projectKey = "figures";
    const later = { projectKey, leads: 1 };
    await deployed("passed", "2026-03-01T08:00:00Z", { ...later, leadSeconds: 3600 });
    // Two failures one after the other are one failure of the service, from the first on; the other service is well.
    await deployed("failed", "2026-03-01T10:00:00Z", { projectKey });
    await deployed("timeout", "2026-03-01T11:00:00Z", { projectKey });
    await deployed("passed", "2026-03-01T11:30:00Z", { projectKey, service: "api" });
    await deployed("passed", "2026-03-02T10:00:00Z", { ...later, leadSeconds: 1800 });
    // Neither tests, nor what nobody waited for, nor other environments count.
    await deployed("cancelled", "2026-03-02T11:00:00Z", { projectKey });
    await deployed("failed", "2026-03-02T12:00:00Z", { projectKey, production: false, envKey: "dev" });
    const march = `startDate=${at("2026-03-01T00:00:00Z")}&endDate=${at("2026-03-04T00:00:00Z")}&projectKey=figures`;
    expect(await read(march)).toEqual({
      ...{ deployment_frequency: 0.75, change_failure_rate: 0.4, passed: 3, failed: 2, rolled_back: 0 },
      ...{ lead_time_seconds: 2700, time_to_restore_seconds: 24 * 3600 },
      data: [
        { date: "2026-03-01", ...none, passed: 2, failed: 2, lead_time_seconds: 3600 },
        { date: "2026-03-02", ...none, passed: 1, lead_time_seconds: 1800, time_to_restore_seconds: 24 * 3600 },
      ],
    });
  });

  test("a rollback within a day makes a failure of what it takes back, once, and restores the service", async () => {
    const [web, api] = ["web", "api"].map((service) => ({ projectKey: "back", service })) as [object, object];
    await deployed("passed", "2026-04-01T08:00:00Z", web);
    await takeBack({ projectKey: "back", service: "web" }, "2026-04-01T09:00:00Z");
    await takeBack({ projectKey: "back", service: "web" }, "2026-04-01T09:30:00Z");
    await deployed("passed", "2026-04-01T10:00:00Z", web);
    await takeBack({ projectKey: "back", service: "web" }, "2026-04-02T10:00:01Z");
    await takeBack({ projectKey: "back", service: "never-deployed" }, "2026-04-02T10:00:01Z");
    const first = { date: "2026-04-01", ...none, passed: 2, rolled_back: 1, time_to_restore_seconds: 3600 };
    expect(await read("projectKey=back")).toMatchObject({ change_failure_rate: 0.5, data: [first] });
    // One that failed by itself has failed once, and is over when it is taken back.
    await deployed("failed", "2026-04-03T10:00:00Z", api);
    await takeBack({ projectKey: "back", service: "api" }, "2026-04-03T10:10:00Z");
    await deployed("passed", "2026-04-03T12:00:00Z", api);
    const third = { date: "2026-04-03", ...none, passed: 1, failed: 1, time_to_restore_seconds: 600 };
    expect(await read("projectKey=back")).toMatchObject({ rolled_back: 1, failed: 1, data: [first, third] });
  });

  test("of a service that several tasks deploy at once nothing is lost", async () => {
    const endings = Array.from({ length: 24 }, (_, number) => (number % 2 === 0 ? "failed" : "passed"));
    await Promise.all(endings.map((status) => deployed(status, "2026-05-05T05:00:00Z", { projectKey: "crowd" })));
    await deployed("passed", "2026-05-05T05:00:00Z", { projectKey: "crowd" });
    const { data, ...all } = await read("projectKey=crowd");
    expect(all).toMatchObject({ passed: 13, failed: 12, time_to_restore_seconds: 0 });
    expect(data).toHaveLength(1);
  });
});

describe("the daily recount", () => {
  test("knows what deployments and rollbacks meant for their services, and puts it right", async () => {
    const yesterday = shifted(new Date().toISOString().slice(0, 10), -1);
    const place = { projectKey: "recounted", service: "web" };
    await deployed("failed", `${yesterday}T08:00:00Z`, place);
    await deployed("passed", `${yesterday}T09:00:00Z`, { ...place, leads: 1, leadSeconds: 7 });
    await takeBack(place, `${yesterday}T10:00:00Z`);
    const right = await read("projectKey=recounted");
    expect(right).toMatchObject({ rolled_back: 1, time_to_restore_seconds: 3600, lead_time_seconds: 7 });
    expect((await recount()).seeded).toBe(true);
    expect(await read("projectKey=recounted")).toEqual(right);
    await table().write(...countDay("release", "recounted", yesterday, { restores: 1, leadSeconds: 5 }, 2));
    expect(await read("projectKey=recounted")).not.toEqual(right);
    expect(await recount()).toEqual({ seeded: true, corrected: 2 });
    expect(await read("projectKey=recounted")).toEqual(right);
    expect(await recount()).toEqual({ seeded: true, corrected: 0 });
  });
});

describe("who may, and what it costs", () => {
  test("the answer is about projects in which the caller holds a role", async () => {
    await deployed("passed", "2026-06-01T08:00:00Z", { projectKey: "shop" });
    const range = `startDate=${at("2026-06-01T00:00:00Z")}&endDate=${at("2026-06-01T00:00:00Z")}`;
    const member = await newPerson("member", [{ namespace: "shop", roles: { "read-only": [] } }]);
    const nobody = await newPerson("nobody");
    await deployed("passed", "2026-06-01T09:00:00Z", { projectKey: "secret" });
    expect(await read(range)).toMatchObject({ passed: 2, deployment_frequency: 2 });
    expect(await read(range, member.token)).toMatchObject({ passed: 1, data: [{ passed: 1 }] });
    expect(await read(`${range}&projectKey=shop,secret`, member.token)).toMatchObject({ passed: 1 });
    expect(await read(`${range}&projectKey=secret`, member.token)).toEqual(nothing);
    expect(await read(range, nobody.token)).toEqual(nothing);
    expect((await slipway.call("GET", path, { token: "wrong" })).status).toBe(401);
  });

  test("what is asked wrongly gets a 400 that says what would be right", async () => {
    for (const [query, sentence] of [
      ["startDate=1", "endDate is missing"],
      ["startDate=10&endDate=9", "endDate is before startDate"],
      [`startDate=0&endDate=${366 * 86_400}`, "more than 365 days"],
      ["startDate=soon&endDate=1", "startDate"],
    ]) {
      const { status, json } = await slipway.call<{ description: string }>("GET", `${path}?${query}`);
      expect({ status, query }).toEqual({ status: 400, query });
      expect(json.description).toContain(sentence);
    }
  });

  test("days that lie ahead do not make deployments rarer", async () => {
    const today = new Date().toISOString().slice(0, 10);
    await deployed("passed", `${today}T00:00:00Z`, { projectKey: "now" });
    const [start, end] = [at(`${today}T12:00:00Z`), at(`${shifted(today, 30)}T12:00:00Z`)];
    expect(await read(`startDate=${start}&endDate=${end}&projectKey=now`)).toMatchObject({ deployment_frequency: 1 });
    const ahead = `startDate=${at(`${shifted(today, 2)}T12:00:00Z`)}&endDate=${end}&projectKey=now`;
    expect(await read(ahead)).toEqual(nothing);
  });

  test("a year costs one query and a unit for every 4 KB, however much was deployed", async () => {
    for (let day = 0; day < 365; day++)
      await deployed("passed", new Date(Date.UTC(2024, 0, 1 + day)).toISOString(), { projectKey: "year" });
    const range = `startDate=${at("2024-01-01T00:00:00Z")}&endDate=${at("2024-12-30T00:00:00Z")}`;
    const { status, body, calls } = await storeCallsOf("GET", `${path}?${range}&projectKey=year`);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ passed: 365, deployment_frequency: 1 });
    const own = calls.slice(4);
    expect(own).toHaveLength(1);
    expect(unitsOf(own)).toBeLessThanOrEqual(1.5 + Math.floor(body.length / 4096));
  });
});
