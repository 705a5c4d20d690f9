import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { followEvents } from "../../../../functions/api/events/followEvents.ts";
import { eventIdAt, timeOfEventId } from "../../../../shared/access/events/rules/eventId.ts";
import { mostEvents, notifyChange } from "../../../../shared/access/events/store/changeEvents.ts";
import { hashToken } from "../../../../shared/access/identity/session/tokenText.ts";
import { qualityKey } from "../../../../shared/base/common/ownerKey.ts";
import { removeConfig } from "../../../../shared/base/settings/config.ts";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { takeStreamPlace } from "../../../../shared/base/store/openStreams.ts";
import { recordAllStoreCalls, recordStoreCalls } from "../../../../shared/base/store/storeCalls.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { batchWrite } from "../../../harness/batchWrite.ts";
import { environmentBody, untilStatus } from "../../../harness/boutique.ts";
import { messagesOf, type OpenStream, OpenStreams } from "../../../harness/eventStream.ts";
import { deploymentYaml } from "../../../harness/manifests.ts";
import { newPerson, type Person } from "../../../harness/people.ts";
import { givenPlans, type ReleasePlans, textJob } from "../../../harness/releasePlans.ts";
import { adminToken, type Slipway } from "../../../harness/slipway.ts";
import { waitFor } from "../../../harness/waitFor.ts";
import { policyCalls } from "../policy/policyCalls.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

interface Told {
  id: string;
  type: string;
  project_key: string;
  key: string;
  name: string;
  state: string;
  task_id?: number;
  production?: boolean;
}

const path = "/openapi/events/stream";
let plans: ReleasePlans;
let slipway: Slipway;
let developer: Person;
const streams = new OpenStreams();

beforeAll(async () => {
  plans = await givenPlans();
  slipway = plans.slipway;
  developer = await newPerson("dee");
  await policyCalls(slipway).createRole("shop", "watcher", ["get_workflow", "get_environment"]);
  await policyCalls(slipway).bind("shop", "watcher", { uid: developer.uid });
});

afterEach(() => {
  vi.useRealTimers();
  streams.leave();
});

afterAll(() => slipway.close());

interface Following {
  token?: string;
  lastEventId?: string;
  query?: string;
}

function follow({ query = "", ...options }: Following = {}): Promise<OpenStream> {
  return streams.open(slipway.runtime.url, path + query, options);
}

const told = (stream: OpenStream): Told[] => messagesOf(stream);

/** What was told of one record, in short. */
const statesOf = (stream: OpenStream, key: string): string[] =>
  told(stream)
    .filter((one) => one.key === key)
    .map(({ state }) => state);

const placesFree = () =>
  waitFor("all places to be free", async () => (await table().query({ pk: keys.openStream(0).pk })).length === 0);

async function until(stream: OpenStream, key: string, state: string): Promise<Told> {
  const find = async () => told(stream).find((one) => one.key === key && one.state === state);
  return waitFor(`${key} to be ${state} in ${stream.text().slice(-500)}`, find, 20);
}

/** What the last event or mark of a stream is. */
const lastIdOf = (stream: OpenStream): string => stream.ids().at(-1) ?? "";
const current = (stream: OpenStream) =>
  waitFor("the stream to be current", async () => told(stream).some(({ type }) => type === "current"), 10);

describe("what is told", () => {
  test("a task: that it came, runs, waits for approval and how it ended; each with the id that resumes behind it", async () => {
    const stream = await follow();
    const taskId = await plans.tasks.started("held", ["gate"]);
    expect(await until(stream, "held", "wait_for_approval")).toMatchObject({
      ...{ type: "task", project_key: "shop", key: "held", name: "held", task_id: taskId },
    });
    await plans.tasks.cancel("held", taskId);
    await until(stream, "held", "cancelled");
    expect(statesOf(stream, "held").slice(0, 4)).toEqual(["waiting", "running", "wait_for_approval", "cancelled"]);
    expect(stream.ids()).toEqual(told(stream).map(({ id }) => id));
    expect(Object.keys(told(stream).find(({ key }) => key === "held") ?? {})).toEqual([
      "id",
      "type",
      "project_key",
      "key",
      "name",
      "task_id",
      "state",
    ]);
  });

  test("an environment: that a change goes on and how it ended, until it is gone", async () => {
    const stream = await follow();
    const service = { service_name: "web", yaml: deploymentYaml("web", "web:1") };
    await plans.ok("POST", "/openapi/service/yaml/raw?projectKey=shop", service);
    const body = { ...environmentBody("dev", "shop-dev"), services: [{ service_name: "web" }] };
    await plans.ok("POST", "/openapi/environments?projectKey=shop", body);
    expect(await until(stream, "dev", "done")).toMatchObject({ type: "environment", production: false, name: "dev" });
    await untilStatus(slipway, "shop", "dev", "running");
    await plans.ok("DELETE", "/openapi/environments/dev?projectKey=shop&isDelete=true");
    await waitFor("its end", async () => statesOf(stream, "dev").length === 4, 20);
    expect(statesOf(stream, "dev")).toEqual(["running", "done", "running", "done"]);
  });

  test("a release plan, at each of its steps, until it is deleted", async () => {
    const stream = await follow();
    const id = await plans.make({ name: "may", jobs: [textJob("note")] });
    await plans.edit(id, "update_name", { name: "june" });
    await plans.ok("DELETE", `/openapi/release_plan/v1/${id}`);
    expect(await until(stream, id, "deleted")).toMatchObject({ type: "release_plan", project_key: "", name: "june" });
    expect(statesOf(stream, id)).toEqual(["planning", "planning", "deleted"]);
  });
});

describe("who is told", () => {
  test("tasks and environments of a kind by their verbs, release plans by theirs, others nothing", async () => {
    const stranger = await newPerson("stranger");
    const reader = await newPerson("reader", [{ namespace: "*", roles: { plans: ["get_release_plan"] } }]);
    const [all, dee, nobody, planner] = await Promise.all([
      follow(),
      follow({ token: developer.token }),
      follow({ token: stranger.token }),
      follow({ token: reader.token }),
    ]);
    const plan = await plans.make({ name: "may" });
    const unit = qualityKey("test", "shop", "unit");
    await table().write(
      notifyChange({
        kind: "environment",
        projectKey: "shop",
        key: "e-test",
        name: "e",
        production: false,
        state: "done",
      }),
      notifyChange({
        kind: "environment",
        projectKey: "shop",
        key: "e-prod",
        name: "e",
        production: true,
        state: "done",
      }),
      notifyChange({ kind: "task", projectKey: "shop", key: unit, name: "unit", taskId: 1, state: "passed" }),
      notifyChange({ kind: "task", projectKey: "other", key: "theirs", name: "theirs", taskId: 1, state: "passed" }),
    );
    await plans.tasks.started("ship", ["gate"]);
    for (const key of ["e-test", "e-prod", unit, "theirs"]) await waitFor(key, async () => statesOf(all, key)[0], 20);
    await until(all, "ship", "passed");
    await until(dee, "ship", "passed");
    await until(planner, plan, "planning");
    const keysOf = (stream: OpenStream) =>
      new Set(told(stream).flatMap(({ type, key }) => (type === "current" ? [] : [key])));
    expect(keysOf(all)).toContain(plan);
    expect([...keysOf(dee)].filter((key) => key !== "held" && key !== "dev").sort()).toEqual(["e-test", "ship"]);
    expect(keysOf(planner)).toContain(plan);
    expect([...keysOf(planner)].filter((key) => ["ship", "e-test", "e-prod", "theirs"].includes(key))).toEqual([]);
    expect([...keysOf(nobody)]).toEqual([]);
  });

  test("of one project, where the caller asks for it", async () => {
    const stream = await follow({ query: "?projectKey=other" });
    await plans.make({ name: "unasked" });
    await plans.tasks.started("ship", ["gate"]);
    await table().write(
      notifyChange({ kind: "task", projectKey: "other", key: "asked", name: "asked", taskId: 2, state: "passed" }),
    );
    await until(stream, "asked", "passed");
    expect(new Set(told(stream).flatMap(({ project_key }) => project_key ?? []))).toEqual(new Set(["other"]));
  });

  test("whoever loses a role hears nothing more, and whoever loses the token is sent away", async () => {
    const person = await newPerson("leaver");
    const { bind, unbind } = policyCalls(slipway);
    await bind("shop", "watcher", { uid: person.uid });
    const stream = await follow({ token: person.token });
    const first = await plans.tasks.started("ship", ["gate"]);
    await waitFor("the first task", async () => told(stream).some((one) => one.task_id === first), 20);
    await unbind("shop", "user", person.uid);
    const admin = await follow();
    const second = await plans.tasks.started("ship", ["gate"]);
    await waitFor(
      "the second task",
      async () => told(admin).some((one) => one.task_id === second && one.state === "passed"),
      20,
    );
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(told(stream).some((one) => one.task_id === second)).toBe(false);
    expect(stream.hasEnded()).toBe(false);
    expect((await slipway.call("GET", "/api/v1/logout", { token: person.token })).status).toBe(200);
    await plans.tasks.started("ship", ["gate"]);
    await stream.ended();
    expect(stream.events().at(-1)).toEqual({ event: "error", data: "token mismatch" });
  });

  test("nobody without a token, and what is asked wrongly is refused before the stream begins", async () => {
    expect((await slipway.call("GET", path, { token: null })).status).toBe(401);
    const { status, json } = await slipway.call<{ description: string }>("GET", `${path}?projectKey=${"x".repeat(64)}`);
    expect([status, json.description]).toEqual([400, expect.stringContaining("at most 63")]);
    expect((await slipway.call("GET", `${path}?projectKey=`)).status).toBe(400);
    const inQuery = await streams.open(slipway.runtime.url, `${path}?token=${developer.token}`, { token: null });
    expect(inQuery.status).toBe(200);
  });
});

describe("whoever comes again", () => {
  test("hears everything since the event that it names, whatever was told in between", async () => {
    const stream = await follow();
    await current(stream);
    stream.leave();
    const taskId = await plans.tasks.started("ship", ["gate"]);
    await plans.tasks.end("ship", taskId);
    const again = await follow({ lastEventId: lastIdOf(stream) });
    await current(again);
    const heard = told(again).filter((one) => one.task_id === taskId && one.key === "ship");
    expect(heard.map(({ state }) => state)).toEqual(["waiting", "running", "passed"]);
    expect(told(again).some(({ type }) => type === "reset")).toBe(false);
    const behind = await follow({ lastEventId: heard[1]?.id ?? "" });
    await current(behind);
    expect(told(behind).some(({ id }) => id === heard[2]?.id)).toBe(true);
  });

  test("hears of one that was written late, with an id before the last one", async () => {
    const stream = await follow();
    await current(stream);
    const late = {
      ...notifyChange({ kind: "task", projectKey: "shop", key: "late", name: "late", taskId: 1, state: "passed" }),
    };
    const before = (timeOfEventId(lastIdOf(stream)) ?? 0) - 5000;
    if (late.kind !== "put") throw new Error("not a put");
    await table().write({ ...late, item: { ...late.item, ...keys.changeEvent(eventIdAt(before, "0000000a")) } });
    await until(stream, "late", "passed");
    expect(statesOf(stream, "late")).toEqual(["passed"]);
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(statesOf(stream, "late"), "told once").toEqual(["passed"]);
  });

  test("hears it at once and no more, where that is all it wants", async () => {
    const first = await slipway.call("GET", `${path}?once=true`);
    const [lastEventId = ""] = /^id:(.*)$/m.exec(first.text.slice(first.text.lastIndexOf("id:")))?.slice(1) ?? [];
    expect(first.text).toContain('"type":"current"');
    const taskId = await plans.tasks.started("ship", ["gate"]);
    await plans.tasks.end("ship", taskId);
    const next = await slipway.call("GET", `${path}?once=true`, { headers: { "last-event-id": lastEventId } });
    expect(next.text).toContain(`"task_id":${taskId},"state":"passed"`);
    expect((await slipway.call("GET", `${path}?once=maybe`)).status).toBe(400);
  });

  test.each([
    ["after more than an hour", () => eventIdAt(Date.now() - 3601_000)],
    ["with an id of the future", () => eventIdAt(Date.now() + 60_000)],
    ["with what is no id", () => "42"],
  ])("%s is told to look at everything, and then what changes", async (_, id) => {
    const stream = await follow({ lastEventId: id() });
    await current(stream);
    expect(told(stream).map(({ type }) => type)).toEqual(["reset", "current"]);
    const taskId = await plans.tasks.started("ship", ["gate"]);
    await waitFor("the task", async () => told(stream).some((one) => one.task_id === taskId), 20);
  });

  test("after more changes than are read at once is told to look at everything", async () => {
    const at = Date.now() - 60_000;
    await batchWrite(mostEvents, (index) => ({
      ...keys.changeEvent(eventIdAt(at + index, "0000000b")),
      ...{
        type: "change-event",
        version: 1,
        kind: "task",
        projectKey: "crowd",
        key: "many",
        name: "many",
        state: "passed",
      },
    }));
    const { result: stream, calls } = await recordAllStoreCalls(async () => {
      const opened = await follow({ lastEventId: eventIdAt(at) });
      await current(opened);
      return opened;
    });
    expect(told(stream).map(({ type }) => type)).toEqual(["reset", "current"]);
    expect(Math.max(...calls.map(({ capacityUnits }) => capacityUnits))).toBeLessThan(60);
    const taskId = await plans.tasks.started("ship", ["gate"]);
    await waitFor("the task", async () => told(stream).some((one) => one.task_id === taskId), 20);
  });
});

describe("what it costs", () => {
  // Asked without a server around it, whose reconciler asks the table as well.
  test("one query of at most a unit every two seconds while nothing changes, and its end with its client", async () => {
    await new Promise((resolve) => setTimeout(resolve, 10_500));
    const leaving = new AbortController();
    const asked = {
      after: undefined,
      tokenHash: hashToken(adminToken),
      once: false,
      isReplaced: async () => false,
      signal: leaving.signal,
    };
    const events = followEvents(asked);
    // It begins by saying that all until now was told.
    await events.next();
    const begin = Date.now();
    const { result, calls } = await recordStoreCalls(async () => {
      const next = events.next().catch((error: Error) => error);
      setTimeout(() => leaving.abort(), 6000);
      return next;
    });
    expect(result).toMatchObject({ name: "AbortError" });
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.length).toBeLessThanOrEqual(1 + (Date.now() - begin) / 2000);
    for (const call of calls)
      expect(call).toEqual({ kind: "query", capacityUnits: expect.toSatisfy((one: number) => one <= 1) });
  });
});

describe("where streams have an end and a number, as in AWS", () => {
  const settings = { SLIPWAY_STREAM_SECONDS: "120", SLIPWAY_OPEN_STREAMS: "4" };

  beforeAll(() => {
    Object.assign(process.env, settings);
    removeConfig();
  });

  afterAll(() => {
    for (const name of Object.keys(settings)) delete process.env[name];
    removeConfig();
  });

  test("it ends after two minutes and says when to come again", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const stream = await follow();
    await current(stream);
    vi.advanceTimersByTime(120_000);
    await stream.ended();
    expect(stream.text()).toMatch(/retry:1000\n\n$/);
    expect(stream.events().every(({ event }) => event === "message")).toBe(true);
  });

  test("it is the only one of its session, so that pages that change use up no place", async () => {
    const { token } = await newPerson("pages");
    await placesFree();
    const first = await follow({ token });
    let newest = first;
    for (let page = 2; page <= 4; page++) {
      const before = newest;
      newest = await follow({ token });
      await before.ended();
      expect(newest.hasEnded()).toBe(false);
    }
    expect(first.events().at(-1)).toEqual({
      event: "error",
      data: "a newer stream of the same session took the place of this one",
    });
    // The other place is for somebody else.
    await follow({ token: (await newPerson("another")).token });
  });

  test("it takes half of the places and leaves the others to logs", async () => {
    await placesFree();
    await Promise.all([follow(), follow()]);
    const refused = await slipway.call<{ description: string }>("GET", path);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
    expect(refused.json.description).toContain("2 streams are open");
    expect(await takeStreamPlace(4, -2)).toMatchObject({ place: 2 });
  });
});
