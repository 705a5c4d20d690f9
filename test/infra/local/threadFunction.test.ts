import { afterEach, expect, onTestFinished, test } from "vitest";
import { threadFunction } from "../../../infra/local/threadFunction.ts";
import { type Noted, onFigure } from "../../../shared/base/metrics/recordMetric.ts";

/** Answers with its thread and how many events that thread has had; one named "throw" fails, one named "wait" never ends. */
const entry = `
  import { parentPort, threadId } from "node:worker_threads";
  let events = 0;
  parentPort.on("message", async (event) => {
    events += 1;
    if (event === "throw") throw new Error("on purpose");
    if (event === "wait") return;
    if (event === "measure") parentPort.postMessage({ noted: { id: "copiesRunning", labels: {}, value: 7 } });
    parentPort.postMessage({ answer: { threadId, events } });
  });`;
const counting = threadFunction(new URL(`data:text/javascript,${encodeURIComponent(entry)}`));
const run = (event: string, signal = new AbortController().signal) =>
  counting.run(event, { signal }) as Promise<{ threadId: number; events: number }>;

afterEach(() => counting.kill());

test("a thread that has answered takes the next event; one that is at work does not", async () => {
  const first = await run("a");
  expect(await run("b")).toEqual({ threadId: first.threadId, events: 2 });
  const both = await Promise.all([run("c"), run("d")]);
  expect(new Set(both.map(({ threadId }) => threadId)).size).toBe(2);
});

test("what it measures on the way is told here, and is no answer", async () => {
  const heard: Noted[] = [];
  onTestFinished(onFigure((noted) => heard.push(noted)));
  expect(await run("measure")).toMatchObject({ events: expect.any(Number) });
  expect(heard).toEqual([{ id: "copiesRunning", labels: {}, value: 7 }]);
});

test("one that fails takes no more", async () => {
  const { threadId } = await run("a");
  await expect(run("throw")).rejects.toThrow("on purpose");
  expect((await run("b")).threadId).not.toBe(threadId);
});

test("one that is aborted or killed ends where it stands", async () => {
  const aborter = new AbortController();
  const aborted = run("wait", aborter.signal);
  aborter.abort();
  await expect(aborted).rejects.toThrow("ended with code");
  const killed = run("wait");
  const refused = expect(killed).rejects.toThrow("ended with code");
  await counting.kill();
  await refused;
});
