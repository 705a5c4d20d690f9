import { randomBytes } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { eventually, executionEnd, runExecution, startTestAws, type TestAws, temporaryFolder } from "./harness.ts";
import { invoke, waitForToken } from "./taskStates.ts";

const PASS = { StartAt: "Only", States: { Only: { Type: "Pass", End: true } } };
const WAIT = { StartAt: "Only", States: { Only: { Type: "Wait", Seconds: 3600, End: true } } };
const TOKEN = { StartAt: "Only", States: { Only: waitForToken("take") } };

const start = (aws: TestAws, machine: string, name: string, input = "{}") =>
  aws.stateMachines.start(machine, name, input);
const startPass = () => startTestAws({ stateMachines: { pass: PASS, wait: WAIT } });

describe("a start", () => {
  it("of a name that runs does nothing, whatever its input", async () => {
    const aws = await startPass();
    await start(aws, "wait", "a-1", '{"id":1}');
    const first = aws.executions.get("wait", "a-1");
    await start(aws, "wait", "a-1", '{"id":1}');
    await start(aws, "wait", "a-1", '{"id":2}');
    expect(aws.executions.get("wait", "a-1")).toEqual(first);
    expect(first?.input).toBe('{"id":1}');
  });

  it("runs one execution for 20 starts at once", async () => {
    let runs = 0;
    const count = async () => {
      runs += 1;
    };
    const machine = { StartAt: "Only", States: { Only: invoke("count") } };
    const aws = await startTestAws({ functions: { count }, stateMachines: { machine } });
    await Promise.all(Array.from({ length: 20 }, () => start(aws, "machine", "once")));
    await executionEnd(aws, "machine", "once");
    expect(runs).toBe(1);
    expect(aws.executions.list("machine", undefined)).toHaveLength(1);
  });

  it("of an ended name does nothing, also after a restart, for each state machine by itself", async () => {
    const dataDir = temporaryFolder();
    const before = await startTestAws({ dataDir, stateMachines: { pass: PASS } });
    const ended = await runExecution(before, "pass", { id: 1 }, "b-1");
    await before.close();
    const aws = await startTestAws({ dataDir, stateMachines: { pass: PASS, other: PASS } });
    await start(aws, "pass", "b-1", '{"id":2}');
    expect(await executionEnd(aws, "pass", "b-1")).toEqual(ended);
    expect((await runExecution(aws, "other", { id: 2 }, "b-1")).result).toEqual({ id: 2 });
  });

  it("may use a name again 90 days after its end", async () => {
    const aws = await startPass();
    const { startMs } = await runExecution(aws, "pass", {}, "c-1");
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      vi.setSystemTime(Date.now() + 89 * 86_400_000);
      expect((await runExecution(aws, "pass", {}, "c-1")).startMs).toBe(startMs);
      vi.setSystemTime(Date.now() + 2 * 86_400_000);
      expect((await runExecution(aws, "pass", {}, "c-1")).startMs).toBeGreaterThan(startMs);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each(["a".repeat(81), "a b", "a/b", "a:b", "a*", "a\u0007", "a{1}", "päth\\", ""])(
    "refuses the name %j",
    async (name) => {
      const aws = await startPass();
      await expect(start(aws, "pass", name)).rejects.toThrow("cannot name an execution");
    },
  );

  it("takes 80 characters and 256 KiB of input, not more, and JSON only", async () => {
    const aws = await startPass();
    const ofSize = (bytes: number) => JSON.stringify("x".repeat(bytes - 2));
    await start(aws, "wait", "n".repeat(80), ofSize(256 * 1024));
    await expect(start(aws, "wait", "d", ofSize(256 * 1024 + 1))).rejects.toThrow("larger than 256 KiB");
    await expect(start(aws, "wait", "e", "{")).rejects.toThrow(SyntaxError);
  });

  it("names a machine that does not exist", async () => {
    const aws = await startPass();
    await expect(start(aws, "missing", "f")).rejects.toThrow("there is no state machine missing");
    expect(await aws.stateMachines.status("pass", "none")).toBeUndefined();
  });
});

describe("executions", () => {
  it("are stored with input, output and times", async () => {
    const aws = await startPass();
    const end = await runExecution(aws, "pass", { id: 1 }, "g-1");
    expect(end).toMatchObject({
      ...{ name: "g-1", machine: "pass", status: "SUCCEEDED", input: '{"id":1}', output: '{"id":1}' },
    });
    expect(end.stopMs).toBeGreaterThanOrEqual(end.startMs);
    expect(await aws.stateMachines.status("pass", "g-1")).toBe("SUCCEEDED");
  });

  it("are stopped with a cause, and a stop after the end, or of one that never began, changes nothing", async () => {
    const aws = await startPass();
    await start(aws, "wait", "h-1");
    await aws.stateMachines.stop("wait", "h-1", "by hand");
    await aws.stateMachines.stop("wait", "h-1", "again");
    await aws.stateMachines.stop("wait", "none", "again");
    expect(await executionEnd(aws, "wait", "h-1")).toMatchObject({ status: "ABORTED", cause: "by hand" });
    await aws.engine.idle();
  });

  it("show the states they entered while they run and after they ended", async () => {
    const aws = await startTestAws({
      functions: { take: async () => null },
      stateMachines: { token: TOKEN, pass: PASS },
    });
    await start(aws, "token", "j-1");
    await aws.engine.idle();
    expect(aws.engine.history("token", "j-1").map((event) => event.type)).toEqual([
      "ExecutionStarted",
      "TaskStateEntered",
    ]);
    await runExecution(aws, "pass", {}, "j-2");
    const events = aws.engine.history("pass", "j-2");
    expect(events.map((event) => event.type)).toEqual([
      "ExecutionStarted",
      "PassStateEntered",
      "PassStateExited",
      "ExecutionSucceeded",
    ]);
    expect(events[1]?.stateEnteredEventDetails?.name).toBe("Only");
    expect(aws.executions.get("pass", "j-2")?.statesEntered).toBe(1);
  });
});

describe("task tokens", () => {
  it("are not guessable, and count once", async () => {
    const tokens: string[] = [];
    const take = async (event: unknown) => void tokens.push((event as { taskToken: string }).taskToken);
    const aws = await startTestAws({ functions: { take }, stateMachines: { token: TOKEN } });
    await start(aws, "token", "k-1");
    await start(aws, "token", "k-2");
    await eventually(() => expect(tokens).toHaveLength(2));
    expect(new Set(tokens).size).toBe(2);
    const [token = ""] = tokens;
    expect(Buffer.from(token, "base64url")).toHaveLength(32);
    expect(await aws.stateMachines.settle(randomBytes(32).toString("base64url"), "1")).toBe(false);
    await expect(aws.stateMachines.settle("no token", "1")).rejects.toThrow("is no task token");
    expect(aws.tokens.heartbeat(token)).toBe(true);
    await expect(aws.stateMachines.settle(token, "{")).rejects.toThrow(SyntaxError);
    expect(await aws.stateMachines.settle(token, "1")).toBe(true);
    expect(aws.tokens.fail(token, "Late", "")).toBe(false);
    expect(aws.tokens.heartbeat(token)).toBe(false);
  });

  it("of a stopped execution and of an earlier program are gone", async () => {
    const dataDir = temporaryFolder();
    const tokens: string[] = [];
    const take = async (event: unknown) => void tokens.push((event as { taskToken: string }).taskToken);
    const options = { dataDir, functions: { take }, stateMachines: { token: TOKEN } };
    const before = await startTestAws(options);
    await start(before, "token", "l-1");
    await start(before, "token", "l-2");
    await eventually(() => expect(tokens).toHaveLength(2));
    await before.stateMachines.stop("token", "l-1", "by hand");
    await before.close();
    const aws = await startTestAws(options);
    await eventually(() => expect(tokens).toHaveLength(3));
    const settled = tokens.map((token) => aws.stateMachines.settle(token, "1"));
    expect(await Promise.all(settled)).toEqual([false, false, true]);
  });
});

it("closes without ending executions: running functions are told, the next start runs them again", async () => {
  const dataDir = temporaryFolder();
  let started = 0;
  let told = 0;
  const machine = {
    StartAt: "Only",
    States: {
      Only: {
        Type: "Task",
        Resource: "arn:aws:states:::lambda:invoke",
        Parameters: { FunctionName: "work" },
        End: true,
      },
    },
  };
  const hang = async (_event: unknown, { signal }: { signal: AbortSignal }) => {
    started += 1;
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    told += 1;
    throw new Error("aborted");
  };
  const before = await startTestAws({ dataDir, functions: { work: hang }, stateMachines: { machine } });
  await start(before, "machine", "m-1", '{"id":1}');
  await eventually(() => expect(started).toBe(1));
  await before.close();
  expect(told).toBe(1);
  const aws = await startTestAws({ dataDir, functions: { work: async () => "done" }, stateMachines: { machine } });
  expect(await executionEnd(aws, "machine", "m-1")).toMatchObject({ status: "SUCCEEDED", input: '{"id":1}' });
});

it("is idle while executions wait for tokens only, not while a function runs or a retry is due", async () => {
  const tokens: string[] = [];
  let calls = 0;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const functions = {
    take: async (event: unknown) => void tokens.push((event as { taskToken: string }).taskToken),
    flaky: async () => {
      calls += 1;
      if (calls === 1) throw new Error("once");
      await released;
    },
  };
  const Retry = [{ ErrorEquals: ["States.ALL"], IntervalSeconds: 1 }];
  const flaky = { StartAt: "Only", States: { Only: invoke("flaky", { Retry, End: true }) } };
  const aws = await startTestAws({ functions, stateMachines: { token: TOKEN, flaky } });
  await start(aws, "token", "n-1");
  await aws.engine.idle();
  expect(tokens).toHaveLength(1);
  await start(aws, "flaky", "n-2");
  let isIdle = false;
  const idle = aws.engine.idle().then(() => {
    isIdle = true;
  });
  await eventually(() => expect(calls).toBe(2));
  expect(isIdle).toBe(false);
  release();
  await idle;
});
