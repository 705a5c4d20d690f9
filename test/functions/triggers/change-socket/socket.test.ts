import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { load } from "js-yaml";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { notifyChange } from "../../../../shared/access/events/store/changeEvents.ts";
import { changeSocketKeys } from "../../../../shared/base/store/keys/changeSocketKeys.ts";
import { recordStoreCalls } from "../../../../shared/base/store/storeCalls.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { environmentBody, untilStatus } from "../../../harness/boutique.ts";
import { type ChangeSocket, connectWith, getTicket, openSocket, type Told } from "../../../harness/changeSocket.ts";
import { deploymentYaml } from "../../../harness/manifests.ts";
import { newPerson } from "../../../harness/people.ts";
import { givenPlans, type ReleasePlans } from "../../../harness/releasePlans.ts";
import { adminToken, type Slipway } from "../../../harness/slipway.ts";
import { waitFor } from "../../../harness/waitFor.ts";
import { policyCalls } from "../../api/policy/policyCalls.ts";

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

let plans: ReleasePlans;
let slipway: Slipway;
const open: ChangeSocket[] = [];

beforeAll(async () => {
  plans = await givenPlans();
  slipway = plans.slipway;
  await policyCalls(slipway).createRole("shop", "watcher", ["get_workflow", "get_environment"]);
});

afterEach(() => {
  for (const socket of open.splice(0)) {
    expectDescribed(socket.messages);
    socket.leave();
  }
});

afterAll(() => slipway.close());

const { components } = load(readFileSync("docs/change-socket.asyncapi.yaml", "utf8")) as { components: object };
const ajv = new Ajv({ strict: false });
ajv.addSchema({ $id: "socket", components });
const described = (name: string) => ajv.compile({ $ref: `socket#/components/schemas/${name}` });

/** Messages of all kinds that came in this file, as the AsyncAPI document describes them. */
function expectDescribed(messages: ChangeSocket["messages"]): void {
  for (const message of messages) {
    const isValid = described(message.type);
    expect(isValid(message), `${JSON.stringify(message)}: ${JSON.stringify(isValid.errors)}`).toBe(true);
  }
}

async function opened(token = adminToken): Promise<ChangeSocket> {
  const socket = await openSocket(slipway.runtime.url, token);
  open.push(socket);
  return socket;
}

async function following(asked: object = {}, token = adminToken): Promise<ChangeSocket> {
  const socket = await opened(token);
  await socket.follow(asked);
  return socket;
}

const socketAddress = () => `${slipway.runtime.url.replace("http", "ws")}/openapi/events/socket`;
const connections = () => table().query({ pk: changeSocketKeys.connection("").pk });

/** A change of a task of that key, told as every change is. */
const change = (key: string, projectKey = "shop") =>
  table().write(notifyChange({ kind: "task", projectKey, key, name: key, taskId: 1, state: "passed" }));

const isOf =
  (key: string) =>
  (told: Told): boolean =>
    told.key === key;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe("a connection", () => {
  test("is opened by a ticket once, as a subprotocol, and the ticket is not answered", async () => {
    const { protocols, expires_in } = await getTicket(slipway.runtime.url);
    expect(protocols).toEqual(["slipway.changes.v1", expect.stringMatching(/^slipway\.ticket\.[\w-]{32}$/)]);
    expect(expires_in).toBe(30);
    const socket = await connectWith(socketAddress(), protocols);
    open.push(socket);
    expect(socket.protocol).toBe("slipway.changes.v1");
    await expect(connectWith(socketAddress(), protocols)).rejects.toThrow("status 401");
  });

  test.each([
    ["nothing", [], 400],
    ["another protocol", ["chat"], 400],
    ["no ticket", ["slipway.changes.v1"], 401],
    ["an invented ticket", ["slipway.changes.v1", `slipway.ticket.${"a".repeat(32)}`], 401],
    ["an API token", ["slipway.changes.v1", adminToken], 401],
  ])("that offers %s is refused", async (_, protocols, status) => {
    await expect(connectWith(socketAddress(), protocols)).rejects.toThrow(`status ${status}`);
  });

  test("is not opened by a ticket that has expired, or whose token has ended", async () => {
    const late = await getTicket(slipway.runtime.url);
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + 32_000);
    await expect(connectWith(socketAddress(), late.protocols)).rejects.toThrow("status 401");
    vi.restoreAllMocks();
    const person = await newPerson("leaves-early");
    const { protocols } = await getTicket(slipway.runtime.url, person.token);
    await slipway.call("GET", "/api/v1/logout", { token: person.token });
    await expect(connectWith(socketAddress(), protocols)).rejects.toThrow("status 401");
  });

  test("is one of its session: the former is told so and closed", async () => {
    const person = await newPerson("twice");
    const first = await following({}, person.token);
    const second = await following({}, person.token);
    expect(await first.closed()).toBe(1000);
    expect(first.messages.at(-1)).toMatchObject({ type: "end", reason: "replaced" });
    expect(second.messages.some(({ type }) => type === "end")).toBe(false);
  });

  test("is one of at most twenty of a person without sessions", async () => {
    for (let count = 0; count < 20; count++) await opened();
    await expect(opened()).rejects.toThrow("status 429");
  });

  test("leaves no record behind when its client leaves", async () => {
    await waitFor("others to be gone", async () => (await connections()).length === 0);
    const socket = await following();
    expect(await connections()).toHaveLength(1);
    socket.leave();
    await waitFor("its record to be gone", async () => (await connections()).length === 0);
  });

  test("answers a sign of life, and says what is wrong with a message", async () => {
    const socket = await opened();
    socket.send({ action: "ping" });
    await waitFor("a pong", async () => socket.messages.some(({ type }) => type === "pong"));
    for (const [wrong, words] of [
      ["{", "JSON"],
      [{ action: "listen" }, "action"],
      [{ action: "follow", task: "ship" }, "task: must be a workflow and the number of a task, such as ship/7"],
      [{ action: "follow", project: "shop" }, "project"],
    ] as const) {
      const before = socket.messages.length;
      socket.send(wrong);
      await waitFor("an answer", async () => socket.messages.length > before);
      expect(socket.messages.at(-1)).toEqual({ type: "error", description: expect.stringContaining(words) });
    }
  });
});

describe("what is told", () => {
  test("a task from its start to its end, at once, and each change once", async () => {
    const socket = await following();
    const taskId = await plans.tasks.started("ship", ["gate"]);
    await socket.until("the end", (told) => told.task_id === taskId && told.state === "passed");
    await pause(2500);
    const states = socket
      .told()
      .flatMap(({ type, task_id, state }) => (type === "task" && task_id === taskId ? [state] : []));
    expect(states).toEqual(["waiting", "running", "passed"]);
  });

  test("a change at once, many changes in few messages", async () => {
    const socket = await following();
    const begun = performance.now();
    await change("first");
    await socket.until("the first", isOf("first"));
    expect(performance.now() - begun).toBeLessThan(1000);
    const before = socket.messages.length;
    await Promise.all(Array.from({ length: 30 }, (_, at) => change(`burst-${at}`)));
    await socket.until("all", () => socket.told().filter(({ key = "" }) => key.startsWith("burst-")).length === 30);
    expect(socket.messages.length - before).toBeLessThanOrEqual(3);
  });

  test("what the bearer may read at the moment, and nothing to whoever may read nothing of it", async () => {
    const { bind, unbind } = policyCalls(slipway);
    const [dee, stranger] = [await newPerson("dee-socket"), await newPerson("stranger-socket")];
    await bind("shop", "watcher", { uid: dee.uid });
    const sockets = [await following({}, dee.token), await following({}, stranger.token), await following()] as const;
    const counts = sockets.map(({ messages }) => messages.length);
    await change("seen");
    await change("theirs", "other");
    await sockets[0].until("what is hers", isOf("seen"));
    await sockets[2].until("all", isOf("theirs"));
    await pause(1500);
    expect(sockets[0].told().some(isOf("theirs"))).toBe(false);
    expect(sockets[1].messages.length, "no message to whoever may see nothing").toBe(counts[1]);
    await unbind("shop", "user", dee.uid);
    await change("after");
    await sockets[2].until("what came after", isOf("after"));
    await pause(1500);
    expect(sockets[0].told().some(isOf("after"))).toBe(false);
    expect((await slipway.call("GET", "/api/v1/logout", { token: dee.token })).status).toBe(200);
    await change("signed-out");
    await sockets[0].closed();
    expect(sockets[0].messages.at(-1)).toMatchObject({ type: "end", reason: "unauthorized" });
  });

  test("of some projects, where the client asks for them; and what it asked for last counts", async () => {
    const socket = await following({ projects: ["third"] });
    const all = await following();
    await plans.make({ name: "of no project" });
    await change("not-asked");
    await change("asked", "third");
    await socket.until("what was asked", isOf("asked"));
    await all.until("all", isOf("not-asked"));
    expect(
      socket
        .told()
        .filter(({ type }) => type !== "current")
        .map(({ key }) => key),
    ).toEqual(["asked"]);
    await socket.follow({ projects: ["shop"] });
    await change("asked-later");
    await socket.until("what was asked later", isOf("asked-later"));
  });

  test("everything since the last that is known, and `reset` where that is not known any more", async () => {
    const socket = await following();
    await change("known");
    const { id } = await socket.until("the first", isOf("known"));
    socket.leave();
    await change("meanwhile");
    const again = await following({ after: id });
    expect(again.told().map(({ key }) => key)).toContain("meanwhile");
    const old = await following({ after: `${Date.now() - 3700_000}.00000000` });
    expect(old.told().map(({ type }) => type)).toEqual(["reset", "current"]);
  });

  test("the jobs of the task that is looked at", async () => {
    const taskId = await plans.tasks.started("held", ["gate"]);
    const socket = await following({ task: `held/${taskId}` });
    const other = await following();
    const ofJobs = (one: ChangeSocket) => one.told().filter(({ type }) => type === "jobs");
    expect(ofJobs(socket)).toMatchObject([{ key: "held", task_id: taskId, state: "followed" }]);
    await plans.tasks.cancel("held", taskId);
    await socket.until("a change of jobs", ({ type, state }) => type === "jobs" && state === "changed");
    expect(ofJobs(other)).toEqual([]);
    const lost = await following({ task: "no-such-workflow/1" });
    expect(ofJobs(lost)).toMatchObject([{ state: "lost" }]);
  });
});

describe("the services of an environment that is looked at", () => {
  test("are told of on one machine, to whoever may read it, until something else is looked at", async () => {
    const service = { service_name: "web", yaml: deploymentYaml("web", "web:1") };
    await plans.ok("POST", "/openapi/service/yaml/raw?projectKey=shop", service);
    const body = { ...environmentBody("dev", "shop-dev"), services: [{ service_name: "web" }] };
    await plans.ok("POST", "/openapi/environments?projectKey=shop", body);
    await untilStatus(slipway, "shop", "dev", "running");
    const person = await newPerson("stranger-to-dev");
    const [socket, stranger] = [
      await following({ environment: "shop/dev" }),
      await following({ environment: "shop/dev" }, person.token),
    ];
    const ofServices = (one: ChangeSocket) =>
      one.told().flatMap(({ type, state }) => (type === "services" ? [state] : []));
    await socket.until("services to be followed", ({ type, state }) => type === "services" && state === "followed");
    await plans.ok("POST", "/openapi/environments/scale", {
      ...{ project_key: "shop", env_key: "dev", service_name: "web" },
      ...{ workload_name: "web", workload_type: "Deployment", target_replicas: 2 },
    });
    await socket.until("a change", ({ type, state }) => type === "services" && state === "changed");
    expect(ofServices(stranger)).toEqual(["lost"]);
    await socket.follow({});
    const before = ofServices(socket).length;
    await plans.ok("POST", "/openapi/environments/scale", {
      ...{ project_key: "shop", env_key: "dev", service_name: "web" },
      ...{ workload_name: "web", workload_type: "Deployment", target_replicas: 1 },
    });
    await pause(2500);
    expect(ofServices(socket)).toHaveLength(before);
  });
});

describe("what it costs", () => {
  const cost = async (key: string) => {
    const { calls } = await recordStoreCalls(() => change(key));
    return calls.map(({ kind, capacityUnits }) => [kind, capacityUnits]);
  };

  test("one read of half a unit or one more for the writer of a change, whether nobody or fifty listen", async () => {
    await waitFor("others to be gone", async () => (await connections()).length === 0);
    const none = await cost("nobody");
    expect(none.map(([kind]) => kind)).toEqual(["write", "get"]);
    const people = await Promise.all([1, 2, 3].map((at) => newPerson(`listener-${at}`)));
    for (const { token } of people) await following({}, token);
    await pause(2000);
    expect(await cost("few")).toEqual(none);
  });
});
