import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { invokeNow } from "../../../../shared/base/aws/functions/invokeNow.ts";
import { mustExist } from "../../../../shared/base/store/conditions.ts";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { update } from "../../../../shared/base/store/writes.ts";
import { detailOf, environmentBody } from "../../../harness/boutique.ts";
import { untilStored } from "../../../harness/environmentSuite.ts";
import { indexesShowAll } from "../../../harness/indexesShowAll.ts";
import { deploymentYaml } from "../../../harness/manifests.ts";
import { type Answer, type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { waitFor } from "../../../harness/waitFor.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

interface Failure {
  code: number;
  description: string;
}

interface Operation {
  username: string;
  method: string;
  function: string;
  detail: string;
  request_body: string;
  status: number;
}

const success = '{"message":"success"}';
const environments = "/openapi/environments";
const nights = { sleep_cron: "0 20 * * 1-5", awake_cron: "0 8 * * 1-5", time_zone: "Europe/Berlin", enabled: true };

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway({ podDelayMilliseconds: 0 });
  await createProject("shop");
});

afterAll(() => slipway.close());

afterEach(() => void vi.useRealTimers());

async function ok(answer: Promise<Answer<unknown>>): Promise<void> {
  expect((await answer).text).toBe(success);
}

async function createProject(project_key: string): Promise<void> {
  const project = { project_name: project_key, project_key, is_public: false, project_type: "yaml" };
  await ok(slipway.call("POST", "/openapi/projects/project", { body: project }));
  const path = `/openapi/service/yaml/raw?projectKey=${project_key}`;
  await ok(slipway.call("POST", path, { body: { service_name: "web", yaml: deploymentYaml("web", "web:1") } }));
}

async function create(envKey: string, project = "shop"): Promise<void> {
  const body = { ...environmentBody(envKey, `${project}-${envKey}`), services: [{ service_name: "web" }] };
  await ok(slipway.call("POST", `${environments}?projectKey=${project}`, { body }));
  await untilStored(slipway, envKey, "success", project);
}

const pathOf = (envKey: string, project = "shop") => `${environments}/${envKey}/sleep/schedule?projectKey=${project}`;

function save(envKey: string, body: object, project?: string): Promise<Answer<Failure>> {
  return slipway.call("PUT", pathOf(envKey, project), { body });
}

async function read(envKey: string): Promise<unknown> {
  return (await slipway.call("GET", pathOf(envKey))).json;
}

/** What the scheduler knows of an environment: direction → expression and time zone. */
async function timed(environmentId: string): Promise<Record<string, string>> {
  const found = slipway.runtime.aws.schedules.all().filter(({ name }) => name.endsWith(environmentId));
  const entries = found.map(({ name, definition: { ScheduleExpression, ScheduleExpressionTimezone } }) => {
    return [name.slice(0, name.indexOf("-")), `${ScheduleExpression} ${ScheduleExpressionTimezone}`] as const;
  });
  return Object.fromEntries(entries);
}

/** What the scheduler was told to send. */
function inputOf(name: string): string {
  return slipway.runtime.aws.schedules.get(name)?.definition.Target.Input ?? "";
}

async function untilTimed(environmentId: string, wanted: Record<string, string>): Promise<void> {
  await waitFor(`the scheduler to know ${JSON.stringify(wanted)}`, async () => {
    const found = await timed(environmentId);
    return JSON.stringify(Object.entries(found).sort()) === JSON.stringify(Object.entries(wanted).sort());
  });
}

async function idOf(envKey: string, project = "shop"): Promise<string> {
  const [item] = await table().query<{ environmentId: string }>({
    pk: `environment#${project}#${envKey}`,
    prefix: "env",
  });
  return item?.environmentId ?? "";
}

/** An environment with the schedule, which the scheduler knows. */
async function scheduled(envKey: string): Promise<string> {
  await create(envKey);
  await ok(save(envKey, nights));
  const id = await idOf(envKey);
  await waitFor("the scheduler to know it", async () => Object.keys(await timed(id)).length > 0);
  return id;
}

const began = Date.now();

/** Invokes as the scheduler does, for a time so many minutes after the tests began, with what it was told to send. */
async function due(event: "sleep" | "wake", environmentId: string, atMinute: number): Promise<void> {
  const time = new Date(began + atMinute * 60_000).toISOString().replace(/\.\d+Z$/, "Z");
  await invoke(inputOf(`${event}-${environmentId}`).replace("<aws.scheduler.scheduled-time>", time));
}

async function invoke(input: string): Promise<void> {
  await invokeNow("sleep-schedule", JSON.parse(input));
}

async function operations(envKey: string): Promise<Operation[]> {
  const path = "/openapi/system/operation?searchType=all&perPage=100&page=1";
  const { json } = await slipway.call<{ operation_logs: Operation[] }>("GET", path);
  return json.operation_logs.filter(({ username, detail }) => username === "system" && detail === envKey);
}

const stored = async (envKey: string) => (await detailOf(slipway, "shop", envKey)).stored_status;

describe("the sleep schedule of an environment", () => {
  test("is off until it is saved, is read as it was saved, and the scheduler follows it", async () => {
    await create("dev");
    expect(await read("dev")).toEqual({ sleep_cron: "", awake_cron: "", time_zone: "UTC", enabled: false });
    await ok(save("dev", nights));
    expect(await read("dev")).toEqual(nights);
    const id = await idOf("dev");
    await untilTimed(id, {
      sleep: "cron(0 20 ? * 2-6 *) Europe/Berlin",
      wake: "cron(0 8 ? * 2-6 *) Europe/Berlin",
    });
    await ok(save("dev", { sleep_cron: "30 22 * * *", enabled: true }));
    expect(await read("dev")).toEqual({ sleep_cron: "30 22 * * *", awake_cron: "", time_zone: "UTC", enabled: true });
    await untilTimed(id, { sleep: "cron(30 22 * * ? *) UTC" });
    await ok(save("dev", { ...nights, enabled: false }));
    expect(await read("dev")).toEqual({ ...nights, enabled: false });
    await untilTimed(id, {});
  });

  test.each([
    [{ sleep_cron: "0 25 * * *" }, 'body sleep_cron: hour "25" is wrong: use 0 to 23'],
    [{ awake_cron: "x 8 * * *" }, 'body awake_cron: minute "x" is wrong: use 0 to 59'],
    [{ sleep_cron: "0 20 * *" }, "body sleep_cron: must have five fields"],
    [{ sleep_cron: "0 20 1 * 5" }, "body sleep_cron: sets day of month and day of week"],
    [{ time_zone: "Berlin" }, "body time_zone: must be an IANA time zone such as Europe/Berlin"],
    [{ awake_cron: "00 20 * * MON-FRI" }, "body awake_cron: names the same times as sleep_cron"],
    [{ sleep_cron: "", awake_cron: "" }, "body awake_cron: or sleep_cron is needed"],
    [{ enabled: undefined }, "body enabled"],
    [{ enabled: "yes" }, "body enabled"],
    [{ sleep_cron: 5 }, "body sleep_cron"],
  ])("is refused with %j", async (wrong, problem) => {
    const { status, json } = await save("dev", { ...nights, ...wrong });
    expect([status, json.code]).toEqual([400, 400]);
    expect(json.description).toContain(problem);
  });

  test("is that of an environment that there is, of its own kind", async () => {
    for (const path of [pathOf("absent"), `${environments}/production/dev/sleep/schedule?projectKey=shop`]) {
      expect((await slipway.call("GET", path)).status).toBe(404);
      expect((await slipway.call("PUT", path, { body: nights })).status).toBe(404);
    }
  });

  test("puts it to sleep when the time comes, by the clock, and the operation log says by what", async () => {
    await create("clock");
    const minute = new Date(Math.ceil(Date.now() / 60_000 + 1) * 60_000);
    const sleep_cron = `${minute.getUTCMinutes()} ${minute.getUTCHours()} * * *`;
    await ok(save("clock", { sleep_cron, enabled: true }));
    const id = await idOf("clock");
    await waitFor("the scheduler to know it", async () => (await timed(id)).sleep !== undefined);
    vi.useFakeTimers({ toFake: ["Date"], now: minute.getTime() + 1000 });
    // A change of any schedule makes the scheduler look at its clock.
    await ok(save("dev", nights));
    await untilStored(slipway, "clock", "sleeping", "shop");
    const logged = await waitFor("the operation log", async () => {
      const found = await operations("clock");
      return found.length > 0 && found;
    });
    expect(logged).toMatchObject([{ method: "Sleep", function: "Environment", status: 200 }]);
    expect(JSON.parse(logged[0]?.request_body ?? "")).toEqual({
      schedule: { cron: sleep_cron, time_zone: "UTC", time: minute.toISOString(), saved_by: "admin" },
    });
    const list = await slipway.call<{ env_key: string; update_by: string }[]>("GET", `${environments}?projectKey=shop`);
    expect(list.json.find(({ env_key }) => env_key === "clock")?.update_by).toBe("system");
  });

  test("does one thing for one time, whatever comes twice, late or in another order", async () => {
    const id = await scheduled("often");
    await Promise.all([due("sleep", id, 10), due("sleep", id, 10)]);
    await untilStored(slipway, "often", "sleeping", "shop");
    await ok(slipway.call("POST", `${environments}/often/wake?projectKey=shop`));
    await untilStored(slipway, "often", "success", "shop");
    await due("sleep", id, 10);
    await due("sleep", id, 5);
    expect(await stored("often")).toBe("success");
    await due("wake", id, 20);
    expect(await stored("often")).toBe("success");
    await due("sleep", id, 30);
    await untilStored(slipway, "often", "sleeping", "shop");
    await due("sleep", id, 40);
    expect(await stored("often")).toBe("sleeping");
    await due("wake", id, 50);
    await untilStored(slipway, "often", "success", "shop");
    expect((await operations("often")).map(({ method, status }) => `${method} ${status}`)).toEqual([
      "Wake 200",
      "Sleep 200",
      "Sleep 200",
    ]);
  });

  test("changes nothing any more by what was timed before it was saved again, nor for another environment", async () => {
    const id = await scheduled("saved");
    const old = inputOf(`sleep-${id}`).replace("<aws.scheduler.scheduled-time>", "2099-01-01T00:00:00Z");
    await ok(save("saved", { ...nights, sleep_cron: "0 23 * * *" }));
    await invoke(old);
    await invoke(old.replace(id, "0123456789abcdef01234567"));
    expect(await stored("saved")).toBe("success");
    expect(await operations("saved")).toEqual([]);
  });

  test("changes nothing any more when its time is more than an hour ago", async () => {
    const id = await scheduled("late");
    vi.useFakeTimers({ toFake: ["Date"], now: began + 3 * 3600_000 });
    await due("sleep", id, 119);
    expect(await stored("late")).toBe("success");
    await due("sleep", id, 121);
    await untilStored(slipway, "late", "sleeping", "shop");
  });

  test("waits for a change under way", async () => {
    const id = await scheduled("busy");
    const is = (status: string) =>
      table().write(update(keys.environment("shop", "busy"), { set: { status } }, mustExist));
    // As a change that takes its time leaves it.
    await is("updating");
    await due("sleep", id, 10);
    await slipway.runtime.reconcile();
    expect([await stored("busy"), await operations("busy")]).toEqual(["updating", []]);
    await is("success");
    await waitFor("the reconciler to begin it", async () => {
      await slipway.runtime.reconcile();
      return (await stored("busy")) === "sleeping";
    });
    expect((await operations("busy")).map(({ method }) => method)).toEqual(["Sleep"]);
  });

  test("is taken up by the reconciler when nobody was told of it", async () => {
    await create("untold");
    const id = await idOf("untold");
    const item = {
      pk: "environment#shop#untold",
      sk: "sleep-schedule",
      type: "environment-sleep-schedule",
      version: 1,
      ...{ projectKey: "shop", envKey: "untold", environmentId: id, revision: 1, updatedBy: "", updatedAt: 1 },
      ...{ sleepCron: "0 20 * * *", awakeCron: "", timeZone: "UTC", enabled: true },
      ...{ unsynced: true, lastEventAt: 0, duePk: "sleep-schedules", dueSk: `000000000001#${id}` },
    };
    await table().write({ kind: "put", item });
    await indexesShowAll();
    await slipway.runtime.reconcile();
    await untilTimed(id, { sleep: "cron(0 20 * * ? *) UTC" });
  });

  test("goes with its environment and with its project", async () => {
    const id = await scheduled("brief");
    await ok(slipway.call("DELETE", `${environments}/brief?projectKey=shop&isDelete=true`));
    await untilTimed(id, {});
    await createProject("other");
    await create("dev", "other");
    await ok(save("dev", nights, "other"));
    const other = await idOf("dev", "other");
    await waitFor("the scheduler to know it", async () => Object.keys(await timed(other)).length === 2);
    await ok(slipway.call("DELETE", "/openapi/projects/project?projectKey=other&isDelete=true"));
    await untilTimed(other, {});
    await waitFor("the environment to go", async () => {
      const rest = await table().query({ pk: "environment#other#dev" });
      return rest.length === 0;
    });
  });
});
