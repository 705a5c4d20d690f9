import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { tell } from "../../../../functions/triggers/change-socket/tell.ts";
import { connectionBegins, renewConnection } from "../../../../shared/access/events/store/changeConnections.ts";
import { notifyChange } from "../../../../shared/access/events/store/changeEvents.ts";
import { recordListening } from "../../../../shared/access/events/store/listeners.ts";
import { TellingTurn } from "../../../../shared/access/events/store/tellingTurn.ts";
import { hashToken } from "../../../../shared/access/identity/session/tokenText.ts";
import { type Adapters, adapters, provideAdapters, type Sockets } from "../../../../shared/base/aws/adapters.ts";
import { changeSocketKeys } from "../../../../shared/base/store/keys/changeSocketKeys.ts";
import { recordStoreCalls } from "../../../../shared/base/store/storeCalls.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { remove, update } from "../../../../shared/base/store/writes.ts";
import { newPerson } from "../../../harness/people.ts";
import { adminToken, type Slipway, startSlipway } from "../../../harness/slipway.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let slipway: Slipway;
let real: Adapters;
/** What was sent to whom; what a post does is said by each test. */
const sent: { to: string; text: string }[] = [];
let post: Sockets["post"];

beforeAll(async () => {
  slipway = await startSlipway();
  real = adapters() as Adapters;
});

afterEach(async () => {
  provideAdapters(real);
  for (const { pk, sk } of await connections()) await table().write(remove({ pk, sk }));
});

afterAll(() => slipway.close());

/** Nobody wakes the teller here: each test calls it. */
function withSockets(given: Sockets["post"] = async () => true): void {
  sent.length = 0;
  post = given;
  const sockets: Sockets = {
    post: async (to, text) => {
      sent.push({ to, text });
      return post(to, text);
    },
    close: async () => undefined,
    followServices: async () => false,
  };
  provideAdapters({ ...real, sockets, functions: { ...real.functions, invokeLater: async () => undefined } });
}

const connections = () => table().query({ pk: changeSocketKeys.connection("").pk });

async function connected(connectionId: string, token = adminToken, follows = {}): Promise<void> {
  await table().write(connectionBegins({ connectionId, tokenHash: hashToken(token), uid: connectionId }));
  await renewConnection(connectionId, follows);
  await recordListening();
}

const change = (key: string, projectKey = "shop") =>
  table().write(notifyChange({ kind: "task", projectKey, key, name: key, taskId: 1, state: "passed" }));
const keysSentTo = (id: string) =>
  sent
    .filter(({ to }) => to === id)
    .flatMap(({ text }) => (JSON.parse(text) as { changes: { key: string }[] }).changes.map(({ key }) => key));

describe("telling connections", () => {
  test("takes one message and few round trips for fifty of a person, and none for those who follow something else", async () => {
    withSockets();
    for (let at = 0; at < 50; at++) await connected(`mine-${at}`);
    for (let at = 0; at < 50; at++) await connected(`others-${at}`, adminToken, { projects: ["elsewhere"] });
    await change("told");
    const { calls } = await recordStoreCalls(() => tell([]));
    expect(sent).toHaveLength(50);
    expect(new Set(sent.map(({ to }) => to.split("-")[0]))).toEqual(new Set(["mine"]));
    expect(calls.length).toBeLessThanOrEqual(16);
  });

  test("reads what a bearer holds once for all of its connections, and sends nothing to one who may read nothing", async () => {
    withSockets();
    const { token } = await newPerson("blind");
    for (let at = 0; at < 50; at++) await connected(`blind-${at}`, token);
    await change("unseen");
    const { calls } = await recordStoreCalls(() => tell([]));
    expect(sent).toEqual([]);
    expect(calls.length).toBeLessThanOrEqual(18);
  });

  test("forgets a connection that is gone, and tells the others", async () => {
    withSockets(async (to) => to !== "gone");
    await connected("gone");
    await connected("here");
    await change("seen");
    await tell([]);
    expect(keysSentTo("here")).toEqual(["seen"]);
    expect((await connections()).map(({ sk }) => sk)).toEqual(["here"]);
  });

  test("leaves nothing out where a post fails: it comes with the next message, and each change once", async () => {
    let failures = 2;
    withSockets(async () => {
      failures -= 1;
      if (failures >= 0) throw new Error("LimitExceededException");
      return true;
    });
    await connected("slow");
    await change("first");
    const telling = tell([]);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await change("second");
    await tell([]);
    await telling;
    const [, , told, ...more] = sent;
    expect(JSON.parse(told?.text ?? "{}")).toMatchObject({ changes: [{ key: "first" }, { key: "second" }] });
    expect(more).toEqual([]);
  });

  test("is done by one at a time: another one that is woken asks it to look again, and its change is told", async () => {
    withSockets();
    await connected("one");
    await change("early");
    const first = tell([]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await change("late");
    const begun = performance.now();
    await tell([]);
    expect(performance.now() - begun, "the second does not wait").toBeLessThan(500);
    await first;
    expect(keysSentTo("one")).toEqual(["early", "late"]);
  });

  test("goes on after a crash of the one who told, once its turn is over", async () => {
    withSockets();
    await connected("one");
    await TellingTurn.ask([]);
    await change("meanwhile");
    await tell([]);
    expect(sent).toEqual([]);
    // As fifteen seconds later.
    await table().write(update(changeSocketKeys.telling, { set: { until: 1 } }));
    await tell([]);
    expect(keysSentTo("one")).toEqual(["meanwhile"]);
  });

  test("asks to read everything where changes do not fit into a message", async () => {
    withSockets();
    await connected("one");
    const long = "x".repeat(200);
    await Promise.all(Array.from({ length: 200 }, (_, at) => change(`${long}-${at}`)));
    await tell([]);
    expect(sent.every(({ text }) => Buffer.byteLength(text) <= 32 * 1024)).toBe(true);
    expect(JSON.parse(sent[0]?.text ?? "{}")).toMatchObject({ changes: [{ type: "reset" }] });
  });
});

test("a change is done although nobody can be woken to tell it", async () => {
  withSockets();
  await connected("one");
  const refuse = async () => {
    throw new Error("AccessDenied");
  };
  provideAdapters({ ...real, functions: { ...real.functions, invokeLater: refuse } });
  await expect(change("done anyway")).resolves.toBeUndefined();
  const never = () => new Promise<void>(() => undefined);
  provideAdapters({ ...real, functions: { ...real.functions, invokeLater: never } });
  const begun = performance.now();
  await change("done in time");
  expect(performance.now() - begun).toBeLessThan(3000);
});
