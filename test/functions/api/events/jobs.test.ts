import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { followEvents } from "../../../../functions/api/events/followEvents.ts";
import { hashToken } from "../../../../shared/access/identity/session/tokenText.ts";
import { recordStoreCalls } from "../../../../shared/base/store/storeCalls.ts";
import { messagesOf, type OpenStream, OpenStreams } from "../../../harness/eventStream.ts";
import { newPerson, type Person } from "../../../harness/people.ts";
import { adminToken, type Slipway } from "../../../harness/slipway.ts";
import { startShop, type tasksOf } from "../../../harness/tasks.ts";
import { makeTwoApprovers } from "../../../harness/twoApprovers.ts";
import { waitFor } from "../../../harness/waitFor.ts";
import { policyCalls } from "../policy/policyCalls.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let ann: Person;
let bob: Person;
const streams = new OpenStreams();

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
  [ann, bob] = await makeTwoApprovers("ship");
});

afterEach(() => streams.leave());

afterAll(() => slipway?.close());

function follow(task: string, token = adminToken): Promise<OpenStream> {
  return streams.open(slipway.runtime.url, `/openapi/events/stream?task=${encodeURIComponent(task)}`, { token });
}

interface Told {
  type: string;
  key: string;
  task_id: number;
  state: string;
}

const told = (stream: OpenStream): Told[] => messagesOf<Told>(stream).filter(({ type }) => type === "jobs");

const statesOf = (stream: OpenStream): string[] => told(stream).map(({ state }) => state);
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A task whose first job waits for two people. */
async function asking(): Promise<number> {
  const taskId = await tasks.started("ship", ["ask", "after"]);
  await tasks.until("ship", taskId, "asking", ({ stages }) => stages[0]?.jobs[0]?.status === "wait_for_approval");
  return taskId;
}

async function approve(taskId: number, { token }: Person): Promise<void> {
  const { status, text } = await tasks.approve("ship", taskId, "ask", true, token);
  expect(status, text).toBe(200);
}

describe("that jobs of a task changed", () => {
  test("is told to who follows this one, also where the task itself stays as it is", async () => {
    const [taskId, other] = [await asking(), await asking()];
    const [stream, theirs] = [await follow(`ship/${taskId}`), await follow(`ship/${other}`)];
    for (const one of [stream, theirs])
      await waitFor("the jobs to be followed", async () => statesOf(one).join() === "followed", 10);
    expect(told(stream)[0]).toMatchObject({ type: "jobs", key: "ship", task_id: taskId });
    await approve(taskId, ann);
    await waitFor("the first approval", async () => statesOf(stream).join() === "followed,changed", 5);
    await approve(taskId, bob);
    await tasks.end("ship", taskId);
    await waitFor("the jobs after it", async () => statesOf(stream).length > 2, 10);
    await pause(2500);
    const states = statesOf(stream);
    await pause(4500);
    expect(statesOf(stream), "nothing more").toEqual(states);
    expect(statesOf(theirs)).toEqual(["followed"]);
    await tasks.cancel("ship", other);
  });

  test("is told as lost to who may not read the task, as of one whose workflow is not there", async () => {
    const taskId = await asking();
    const stranger = await newPerson("stranger");
    const [theirs, none] = await Promise.all([follow(`ship/${taskId}`, stranger.token), follow("nothing/1")]);
    for (const one of [theirs, none]) await waitFor("lost", async () => statesOf(one).join() === "lost", 10);
    await approve(taskId, ann);
    await pause(3000);
    expect(statesOf(theirs)).toEqual(["lost"]);
    expect(theirs.text()).not.toContain("shop");
    await tasks.cancel("ship", taskId);
  });

  test("is told no more to who lost the right", async () => {
    const { createRole, bind, unbind } = policyCalls(slipway);
    const person = await newPerson("leaver");
    await createRole("shop", "looker", ["get_workflow"]);
    await bind("shop", "looker", { uid: person.uid });
    const taskId = await asking();
    const stream = await follow(`ship/${taskId}`, person.token);
    await waitFor("followed", async () => statesOf(stream).join() === "followed", 10);
    await unbind("shop", "user", person.uid);
    await approve(taskId, ann);
    await waitFor("lost", async () => statesOf(stream).join() === "followed,lost", 10);
    await tasks.cancel("ship", taskId);
  });

  test.each(["ship", "ship/", "/1", "ship/0", "ship/x"])("%s names no task", async (task) => {
    const path = `/openapi/events/stream?task=${encodeURIComponent(task)}`;
    const { status, json } = await slipway.call<{ description: string }>("GET", path);
    expect([status, json.description]).toEqual([400, expect.stringContaining("such as ship/7")]);
  });

  test("takes half a unit each two seconds while nothing changes, also where there is no such task", async () => {
    const taskId = await asking();
    await pause(10_500);
    for (const [task, most] of [
      [{ key: "ship", taskId }, 2],
      [{ key: "nothing", taskId: 1 }, 1],
    ] as const) {
      const leaving = new AbortController();
      const asked = {
        after: undefined,
        tokenHash: hashToken(adminToken),
        once: false,
        isReplaced: async () => false,
        signal: leaving.signal,
      };
      const events = followEvents({ ...asked, task });
      await events.next();
      const begun = Date.now();
      const { calls } = await recordStoreCalls(async () => {
        const next = events.next().catch((error: Error) => error);
        setTimeout(() => leaving.abort(), 6000);
        return next;
      });
      const rounds = 1 + (Date.now() - begun) / 2000;
      expect(calls.length, task.key).toBeGreaterThan(0);
      expect(calls.length, task.key).toBeLessThanOrEqual(most * rounds);
      for (const { capacityUnits } of calls) expect(capacityUnits).toBeLessThanOrEqual(0.5);
    }
    await tasks.cancel("ship", taskId);
  });
});
