import { afterEach, describe, expect, it, vi } from "vitest";
import type { TimedEvent } from "../../../../shared/base/aws/adapters.ts";
import { eventually, startTestAws, type TestAws, temporaryFolder } from "./harness.ts";

afterEach(() => void vi.useRealTimers());

/** Adapters whose function `tick` notes its events. */
async function startClock(dataDir = temporaryFolder()) {
  const ticks: unknown[] = [];
  const tick = async (event: unknown) => void ticks.push(event);
  const aws = await startTestAws({ dataDir, functions: { tick } });
  return { aws, ticks };
}

const put = ({ schedules }: TestAws, rest: Partial<TimedEvent> = {}) =>
  schedules.put({
    name: "tick",
    expression: "rate(1 minute)",
    timeZone: "UTC",
    target: "tick",
    event: { n: 1 },
    longestDelaySeconds: 86_400,
    ...rest,
  });
const at = (milliseconds: number) => `at(${new Date(Date.now() + milliseconds).toISOString().slice(0, 19)})`;
const names = (aws: TestAws) => aws.allSchedules().map(({ name }) => name);

function setClock(time: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: time });
}

describe("a due schedule", () => {
  it("invokes a function with the input, a rate at once", async () => {
    const { aws, ticks } = await startClock();
    await put(aws);
    await eventually(() => expect(ticks).toEqual([{ n: 1 }]));
  });

  it("fills in the time that it was due at, and finds its function by an ARN of earlier data too", async () => {
    const { aws, ticks } = await startClock();
    const expression = at(0);
    const target = "arn:aws:lambda:us-east-1:000000000000:function:tick";
    await put(aws, { expression, target, event: { time: "<aws.scheduler.scheduled-time>" } });
    await eventually(() => expect(ticks).toEqual([{ time: `${expression.slice(3, -1)}Z` }]));
  });

  it("that is done for ever goes away by itself", async () => {
    const { aws, ticks } = await startClock();
    await put(aws, { name: "once", expression: at(0) });
    await put(aws, { name: "stays" });
    await eventually(() => expect(ticks).toHaveLength(2));
    await eventually(() => expect(names(aws)).toEqual(["stays"]));
  });

  it("comes again after a restart, once for all times it missed, and not for a time too long ago", async () => {
    const dataDir = temporaryFolder();
    const first = await startClock(dataDir);
    await put(first.aws);
    await put(first.aws, { name: "once", expression: at(3_600_000) });
    await eventually(() => expect(first.ticks).toHaveLength(1));
    await first.aws.close();
    const now = Date.now();

    setClock(now + 2 * 3_600_000);
    const second = await startClock(dataDir);
    await eventually(() => expect(second.ticks).toHaveLength(2));
    await second.aws.close();

    setClock(now + 40 * 3_600_000);
    const third = await startClock(dataDir);
    await eventually(() => expect(third.aws.log.join()).toContain("which is too long"));
    expect(third.ticks).toEqual([]);
  });

  it("does nothing while it is switched off", async () => {
    const { aws, ticks } = await startClock();
    await put(aws, { name: "off", expression: at(1_000) });
    await aws.schedules.setState("off", "DISABLED");
    await put(aws, { name: "later", expression: at(2_000), event: { n: "later" } });
    await eventually(() => expect(ticks).toEqual([{ n: "later" }]));
    await aws.schedules.setState("off", "ENABLED");
    await eventually(() => expect(ticks).toEqual([{ n: "later" }, { n: 1 }]));
  });
});

describe("schedules", () => {
  it("are changed as a whole, and are still there after a restart", async () => {
    const dataDir = temporaryFolder();
    const { aws } = await startClock(dataDir);
    await put(aws, { expression: at(3_600_000) });
    const [before] = aws.allSchedules();
    await put(aws, { expression: "cron(0 3 * * ? *)", timeZone: "Europe/Berlin", longestDelaySeconds: 60 });
    await aws.close();
    const [after] = (await startClock(dataDir)).aws.allSchedules();
    expect(after).toMatchObject({ name: "tick", createdMs: before?.createdMs });
    expect(after?.definition).toEqual({
      ScheduleExpression: "cron(0 3 * * ? *)",
      ScheduleExpressionTimezone: "Europe/Berlin",
      State: "ENABLED",
      Target: { Arn: "tick", Input: '{"n":1}', RetryPolicy: { MaximumEventAgeInSeconds: 60 } },
    });
  });

  it("are taken away whether they exist or not; one that does not exist is not switched", async () => {
    const { aws } = await startClock();
    await put(aws, { expression: at(3_600_000) });
    await aws.schedules.remove("tick");
    await aws.schedules.remove("tick");
    expect(names(aws)).toEqual([]);
    await expect(aws.schedules.setState("tick", "ENABLED")).rejects.toThrow("there is no schedule tick");
  });

  it.each([
    { expression: "rate(1 second)" },
    { timeZone: "Mars/Olympus", expression: "cron(0 1 * * ? *)" },
    { name: "a b" },
    { name: "x".repeat(65) },
  ])("are refused when wrong: %j", async (rest) => {
    const { aws } = await startClock();
    await expect(put(aws, rest)).rejects.toThrow(/Invalid Schedule Expression|cannot name a schedule/);
    expect(names(aws)).toEqual([]);
  });
});
