import { describe, expect, it } from "vitest";
import { eventually, runExecution, startTestAws, type TestAws } from "./harness.ts";
import { invoke, waitForToken } from "./taskStates.ts";

type Handler = (event: never) => unknown;

class NotReady extends Error {
  override name = "NotReady";
}

async function run(definition: object, functions: Record<string, Handler> = {}, input: unknown = {}) {
  const handlers = Object.entries(functions).map(([name, handler]) => [
    name,
    async (event: unknown) => handler(event as never),
  ]);
  const aws = await startTestAws({ functions: Object.fromEntries(handlers), stateMachines: { machine: definition } });
  return runExecution(aws, "machine", input);
}

const one = (state: object) => ({ StartAt: "Only", States: { Only: state } });

describe("data flow of a task", () => {
  it("wraps the function's answer as Lambda does and applies selector, result path and output path", async () => {
    const { result } = await run(
      one({
        ...invoke("double"),
        InputPath: "$.numbers",
        Parameters: { FunctionName: "double", Payload: { "n.$": "$.a", fixed: true, "run.$": "$$.Execution.Name" } },
        ResultSelector: { "twice.$": "$.Payload.twice", "status.$": "$.StatusCode" },
        ResultPath: "$.answer",
        OutputPath: "$.answer",
        End: true,
      }),
      { double: ({ n }: { n: number }) => ({ twice: n * 2 }) },
      { numbers: { a: 21 } },
    );
    expect(result).toEqual({ twice: 42, status: 200 });
  });

  it("keeps the input beside a result path, replaces it by path $ and drops the result by null", async () => {
    const functions = { answer: () => ({ ok: true }) };
    const with_ = (ResultPath: string | null) =>
      run(one({ ...invoke("answer"), OutputPath: "$", ResultPath }), functions, { id: 1 });
    expect((await with_("$.task.result")).result).toMatchObject({ id: 1, task: { result: { Payload: { ok: true } } } });
    expect((await with_("$")).result).toMatchObject({ Payload: { ok: true } });
    expect((await with_(null)).result).toEqual({ id: 1 });
  });

  it("gives null for a function that returns nothing", async () => {
    expect((await run(one(invoke("nothing")), { nothing: () => undefined })).result).toBe(null);
  });

  it("shows the execution's own input inside branches and items", async () => {
    const inner = {
      ...one({ Type: "Pass", Parameters: { "id.$": "$$.Execution.Input.id", "item.$": "$" }, End: true }),
    };
    const map = { Type: "Map", ItemsPath: "$.items", ItemProcessor: inner, End: true };
    const { result } = await run({ StartAt: "Map", States: { Map: map } }, {}, { id: 7, items: ["a"] });
    expect(result).toEqual([{ id: 7, item: "a" }]);
  });

  it("hands null, 0, false and empty text to functions and branches as they are", async () => {
    const items = [null, 0, false, "", []];
    const branch = { StartAt: "Echo", States: { Echo: invoke("echo") } };
    const States = { Both: { Type: "Parallel", Branches: [branch], Parameters: { "item.$": "$" }, End: true } };
    const map = { Type: "Map", ItemProcessor: { StartAt: "Both", States }, End: true };
    const { result } = await run({ StartAt: "Map", States: { Map: map } }, { echo: (event: unknown) => event }, items);
    expect(result).toEqual(items.map((item) => [{ item }]));
    const all = { Type: "Map", ItemProcessor: branch, End: true };
    expect(
      (await run({ StartAt: "Map", States: { Map: all } }, { echo: (event: unknown) => event }, items)).result,
    ).toEqual(items);
  });

  it("passes falsy results on", async () => {
    for (const Result of [0, false, "", null]) {
      const { result } = await run(one({ Type: "Pass", Result, ResultPath: "$.value", End: true }));
      expect(result).toEqual({ value: Result });
    }
  });

  it("ends an execution whose state puts out more than 256 KiB, whatever it catches", async () => {
    const state = invoke("large", { Catch: [{ ErrorEquals: ["States.ALL"], Next: "Caught" }], End: true });
    const definition = { StartAt: "Only", States: { Only: state, Caught: { Type: "Succeed" } } };
    const end = await run(definition, { large: () => "x".repeat(256 * 1024) });
    expect(end).toMatchObject({ status: "FAILED", error: "States.DataLimitExceeded" });
  });
});

describe("errors, Retry and Catch", () => {
  it("names a function's error by the name of the thrown error, with Lambda's JSON as cause", async () => {
    const end = await run(one(invoke("fail")), {
      fail: () => {
        throw new NotReady("two of three");
      },
    });
    expect(end).toMatchObject({ status: "FAILED", error: "NotReady" });
    expect(JSON.parse(end.cause ?? "")).toMatchObject({ errorType: "NotReady", errorMessage: "two of three" });
  });

  it("fails by name when the function does not exist", async () => {
    expect(await run(one(invoke("missing")))).toMatchObject({ error: "Lambda.ResourceNotFoundException" });
  });

  it("retries what the retrier names, waiting longer each time, and not beyond MaxAttempts", async () => {
    const times: number[] = [];
    const Retry = [
      { ErrorEquals: ["Other"], MaxAttempts: 9 },
      { ErrorEquals: ["NotReady"], IntervalSeconds: 1, BackoffRate: 1.5, MaxAttempts: 2 },
    ];
    const end = await run(one(invoke("fail", { Retry, End: true })), {
      fail: () => {
        times.push(performance.now());
        throw new NotReady();
      },
    });
    expect(end.error).toBe("NotReady");
    expect(times).toHaveLength(3);
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(990);
    expect(times[2]! - times[1]!).toBeGreaterThanOrEqual(1_490);
  });

  it("goes on after a retry that succeeds and counts the state once", async () => {
    let calls = 0;
    const Retry = [{ ErrorEquals: ["States.ALL"], IntervalSeconds: 1, MaxAttempts: 1 }];
    const flaky = async () => {
      calls += 1;
      if (calls === 1) throw new NotReady();
      return "done";
    };
    const aws = await startTestAws({
      functions: { flaky },
      stateMachines: { machine: one(invoke("flaky", { Retry, End: true })) },
    });
    const end = await runExecution(aws, "machine", {});
    expect(end.result).toBe("done");
    expect(aws.engine.history("machine", end.name).map((event) => event.type)).toEqual([
      "ExecutionStarted",
      "TaskStateEntered",
      "TaskStateExited",
      "ExecutionSucceeded",
    ]);
  });

  it("catches by name in order and keeps the input beside the error", async () => {
    const Catch = [
      { ErrorEquals: ["Other"], Next: "Wrong" },
      { ErrorEquals: ["NotReady"], ResultPath: "$.error", Next: "Caught" },
      { ErrorEquals: ["States.ALL"], Next: "Wrong" },
    ];
    const States = { Only: invoke("fail", { Catch, End: true }), Wrong: { Type: "Fail" }, Caught: { Type: "Succeed" } };
    const fail = () => {
      throw new NotReady("no");
    };
    const { result } = await run({ StartAt: "Only", States }, { fail }, { id: 1 });
    expect(result).toMatchObject({ id: 1, error: { Error: "NotReady" } });
  });

  it("lets States.TaskFailed match every error of a task but a timeout", async () => {
    const Catch = [
      { ErrorEquals: ["States.TaskFailed"], Next: "Failed" },
      { ErrorEquals: ["States.Timeout"], Next: "Late" },
    ];
    const pass = (Result: string) => ({ Type: "Pass", Result, End: true });
    const machine = (state: object) => ({
      StartAt: "Only",
      States: { Only: state, Failed: pass("failed"), Late: pass("late") },
    });
    const fail = () => {
      throw new NotReady();
    };
    expect((await run(machine(invoke("fail", { Catch, End: true })), { fail })).result).toBe("failed");
    const late = waitForToken("ignore", { TimeoutSeconds: 1, Catch, End: true });
    expect((await run(machine(late), { ignore: () => null })).result).toBe("late");
  });

  it("ends with the error and cause of a Fail state", async () => {
    const end = await run(one({ Type: "Fail", Error: "Refused", Cause: "because" }));
    expect(end).toMatchObject({ status: "FAILED", error: "Refused", cause: "because" });
  });

  it("does not catch a path that leads nowhere", async () => {
    const state = invoke("never", {
      InputPath: "$.missing",
      Catch: [{ ErrorEquals: ["States.ALL"], Next: "Caught" }],
      End: true,
    });
    const end = await run({ StartAt: "Only", States: { Only: state, Caught: { Type: "Succeed" } } });
    expect(end).toMatchObject({ status: "FAILED", error: "States.Runtime" });
  });
});

describe("waiting for a task token", () => {
  const start = async (state: object) => {
    const tokens: string[] = [];
    const take = async (event: unknown) => void tokens.push((event as { taskToken: string }).taskToken);
    const definition = one(state);
    const aws = await startTestAws({ functions: { take }, stateMachines: { machine: definition } });
    const ended = runExecution(aws, "machine", { id: 1, seconds: 1 });
    await eventually(() => expect(tokens).toHaveLength(1));
    return { aws, ended, token: tokens[0]!, tokens };
  };

  it("puts out what the token's success brings, unwrapped", async () => {
    const { aws, ended, token } = await start(waitForToken("take", { ResultPath: "$.job", End: true }));
    await aws.engine.idle();
    await aws.stateMachines.settle(token, '{"exit":0}');
    expect((await ended).result).toEqual({ id: 1, seconds: 1, job: { exit: 0 } });
  });

  it("fails with the error and cause of the token's failure", async () => {
    const { aws, ended, token } = await start(waitForToken("take"));
    aws.tokens.fail(token, "PodFailed", "exit 1");
    expect(await ended).toMatchObject({ status: "FAILED", error: "PodFailed", cause: "exit 1" });
  });

  it("settles a token once", async () => {
    const { aws, ended, token } = await start(waitForToken("take"));
    const settle = () => aws.stateMachines.settle(token, "1");
    expect(await Promise.all([settle(), settle(), settle()])).toEqual([true, false, false]);
    expect((await ended).result).toBe(1);
    expect(await settle()).toBe(false);
  });

  it("times out by a number, by a path in the state's input and by a missed heartbeat, and then knows the token no more", async () => {
    for (const limit of [
      { TimeoutSeconds: 1 },
      { TimeoutSecondsPath: "$.seconds" },
      { TimeoutSeconds: 60, HeartbeatSeconds: 1 },
      { HeartbeatSecondsPath: "$.seconds" },
    ]) {
      const Catch = [{ ErrorEquals: ["States.Timeout"], Next: "Late" }];
      const state = waitForToken("take", { ...limit, Catch, End: true });
      const tokens: string[] = [];
      const take = async (event: unknown) => void tokens.push((event as { taskToken: string }).taskToken);
      const States = { Only: state, Late: { Type: "Pass", Result: "late", End: true } };
      const aws = await startTestAws({ functions: { take }, stateMachines: { machine: { StartAt: "Only", States } } });
      expect((await runExecution(aws, "machine", { seconds: 1 })).result).toBe("late");
      expect(await aws.stateMachines.settle(tokens[0] ?? "", "1")).toBe(false);
    }
  });

  it("waits longer than a timer of Node reaches when TimeoutSeconds says so", async () => {
    const { aws, ended, token } = await start(waitForToken("take", { TimeoutSeconds: 300 * 86_400, End: true }));
    await aws.engine.idle();
    await aws.stateMachines.settle(token, "1");
    expect((await ended).result).toBe(1);
  });

  it("fails when the function that should take the token throws", async () => {
    const fail = () => {
      throw new NotReady();
    };
    expect(await run(one(waitForToken("fail")), { fail })).toMatchObject({ status: "FAILED", error: "NotReady" });
  });
});

describe("Map", () => {
  const map = (rest: object, body: object) =>
    one({ Type: "Map", ItemProcessor: { StartAt: "Item", States: { Item: body } }, ...rest, End: true });

  it("keeps the order of the items, selects with index and value, and runs no more than MaxConcurrency at once", async () => {
    let running = 0;
    let most = 0;
    const work = async ({ index, value, base }: { index: number; value: string; base: number }) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return `${base + index}${value}`;
    };
    const definition = map(
      {
        ItemsPath: "$.items",
        MaxConcurrencyPath: "$.limit",
        ItemSelector: { "index.$": "$$.Map.Item.Index", "value.$": "$$.Map.Item.Value", "base.$": "$.base" },
      },
      invoke("work"),
    );
    const { result } = await run(definition, { work }, { items: [..."abcdefgh"], limit: 3, base: 10 });
    expect(result).toEqual([..."abcdefgh"].map((letter, index) => `${10 + index}${letter}`));
    expect(most).toBe(3);
  });

  it("puts out an empty list for no items", async () => {
    expect((await run(map({}, { Type: "Pass", End: true }), {}, [])).result).toEqual([]);
  });

  it("begins no further item after one failed, also when a running one ends later, and catches by the item's error", async () => {
    const seen: number[] = [];
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const work = async (event: unknown) => {
      seen.push(Number(event));
      if (event === 2) throw new NotReady();
      await released;
    };
    const Catch = [{ ErrorEquals: ["NotReady"], Next: "Caught" }];
    const definition = map({ MaxConcurrency: 2, Catch }, invoke("work"));
    const machine = { ...definition, States: { ...definition.States, Caught: invoke("caught") } };
    const other = one({ Type: "Pass", End: true });
    const caught = async () => {
      release();
      await runExecution(aws, "other", {});
      return "caught";
    };
    const aws: TestAws = await startTestAws({ functions: { work, caught }, stateMachines: { machine, other } });
    expect((await runExecution(aws, "machine", [1, 2, 3, 4])).result).toBe("caught");
    expect(seen).toEqual([1, 2]);
  });

  it("fails over what is not a list", async () => {
    const end = await run(map({ ItemsPath: "$.items" }, { Type: "Pass", End: true }), {}, { items: "no" });
    expect(end).toMatchObject({ status: "FAILED", error: "States.Runtime" });
  });
});

describe("Parallel", () => {
  it("gives every branch the same input and puts out the results in order", async () => {
    const Branches = [
      one({ Type: "Pass", Result: 1, End: true }),
      { StartAt: "B", States: { B: { Type: "Pass", End: true } } },
    ];
    const { result } = await run(
      { StartAt: "Both", States: { Both: { Type: "Parallel", Branches, End: true } } },
      {},
      { id: 5 },
    );
    expect(result).toEqual([1, { id: 5 }]);
  });

  it("ends the other branches with the first failure: their tokens are gone and they enter no state", async () => {
    const tokens: string[] = [];
    const entered: string[] = [];
    const functions = {
      take: async (event: unknown) => void tokens.push((event as { taskToken: string }).taskToken),
      fail: async () => {
        await eventually(() => expect(tokens).toHaveLength(1));
        throw new NotReady();
      },
      enter: async () => void entered.push("after"),
    };
    const waiting = {
      StartAt: "Wait",
      States: { Wait: waitForToken("take", { Next: "After" }), After: invoke("enter") },
    };
    const failing = { StartAt: "Fail", States: { Fail: invoke("fail") } };
    const Catch = [{ ErrorEquals: ["NotReady"], Next: "Caught" }];
    const States = {
      Both: { Type: "Parallel", Branches: [waiting, failing], Catch, End: true },
      Caught: { Type: "Pass", Result: "caught", End: true },
    };
    const aws = await startTestAws({ functions, stateMachines: { machine: { StartAt: "Both", States } } });
    expect((await runExecution(aws, "machine", {})).result).toBe("caught");
    expect(await aws.stateMachines.settle(tokens[0] ?? "", "1")).toBe(false);
    await aws.engine.idle();
    expect(entered).toEqual([]);
  });
});

describe("Choice, Wait, Pass, Succeed", () => {
  const choose = async (rule: object, input: unknown) => {
    const pass = (Result: string) => ({ Type: "Pass", Result, End: true });
    const States = {
      Choose: { Type: "Choice", Choices: [{ ...rule, Next: "Yes" }], Default: "No" },
      Yes: pass("yes"),
      No: pass("no"),
    };
    return (await run({ StartAt: "Choose", States }, {}, input)).result;
  };

  it.each([
    [{ Variable: "$.a", StringEquals: "x" }, { a: "x" }, "yes"],
    [{ Variable: "$.a", StringEquals: "x" }, { a: "y" }, "no"],
    [{ Variable: "$.a", IsPresent: false }, {}, "yes"],
    [{ Variable: "$.a", IsPresent: false }, { a: 1 }, "no"],
    [{ Variable: "$.a", IsPresent: true }, { a: null }, "yes"],
    [{ Variable: "$.a", IsNull: false }, { a: 1 }, "yes"],
    [{ Variable: "$.a", IsNull: true }, { a: null }, "yes"],
    [{ Variable: "$.a", NumericGreaterThan: 3 }, { a: "5" }, "no"],
    [{ Variable: "$.a", NumericGreaterThan: 3 }, { a: 5 }, "yes"],
    [{ Variable: "$.a", NumericLessThanPath: "$.b" }, { a: 1, b: 2 }, "yes"],
    [{ Variable: "$.a", BooleanEquals: false }, { a: false }, "yes"],
    [{ Variable: "$.a", NumericGreaterThanEquals: 3 }, { a: 3 }, "yes"],
    [{ Variable: "$.a", StringLessThan: "b" }, { a: "a" }, "yes"],
    [{ Variable: "$.a", IsTimestamp: true }, { a: "tomorrow" }, "no"],
    [{ Variable: "$.a", TimestampLessThan: "2026-01-01T00:00:00Z" }, { a: "2026-01-01T00:30:00+01:00" }, "yes"],
    [{ Variable: "$.a", StringMatches: "a\\*b" }, { a: "a*b" }, "yes"],
    [{ Variable: "$.a", StringMatches: "a\\*b" }, { a: "axb" }, "no"],
    [{ Variable: "$.a", StringMatches: "log-*?.txt" }, { a: "log-1?.txt" }, "yes"],
    [{ Variable: "$.a", StringMatches: "log-*?.txt" }, { a: "log-12.txt" }, "no"],
    [{ And: [{ Variable: "$.a", IsNumeric: true }, { Not: { Variable: "$.a", NumericEquals: 2 } }] }, { a: 1 }, "yes"],
    [
      {
        Or: [
          { Variable: "$.a", IsPresent: false },
          { Variable: "$.a", StringEquals: "" },
        ],
      },
      { a: "" },
      "yes",
    ],
  ])("chooses as Step Functions: %j over %j is %s", async (rule, input, expected) => {
    expect(await choose(rule, input)).toBe(expected);
  });

  it("fails with States.NoChoiceMatched without a default", async () => {
    const Choices = [{ Variable: "$.a", StringEquals: "x", Next: "Done" }];
    const States = { Choose: { Type: "Choice", Choices }, Done: { Type: "Succeed" } };
    expect(await run({ StartAt: "Choose", States }, {}, { a: "y" })).toMatchObject({ error: "States.NoChoiceMatched" });
  });

  it("waits for seconds, for seconds by path and until a time, and hands its input on", async () => {
    const until = new Date(Date.now() + 1_500).toISOString();
    for (const when of [{ Seconds: 1 }, { SecondsPath: "$.seconds" }, { TimestampPath: "$.until" }]) {
      const { result, startMs, stopMs } = await run(
        one({ Type: "Wait", ...when, End: true }),
        {},
        { seconds: 1, until },
      );
      expect(result).toEqual({ seconds: 1, until });
      const enough = "TimestampPath" in when ? Date.parse(until) : startMs + 990;
      expect(stopMs).toBeGreaterThanOrEqual(enough - 10);
    }
  });

  it("ends the whole execution as TIMED_OUT after the machine's TimeoutSeconds", async () => {
    const end = await run({ ...one({ Type: "Wait", Seconds: 3600, End: true }), TimeoutSeconds: 1 });
    expect(end).toMatchObject({ status: "TIMED_OUT", error: "States.Timeout" });
  });
});

describe("a definition that would not mean the same in AWS is refused at start", () => {
  it.each([
    [
      "a wildcard path",
      one({ Type: "Pass", InputPath: "$.items[*]", End: true }),
      /Only\.InputPath: only paths that point to one value/,
    ],
    [
      "an intrinsic function",
      one({ Type: "Pass", Parameters: { "a.$": "States.JsonToString($)" }, End: true }),
      /a\.\$ States\.JsonToString\(\$\) is not played here/,
    ],
    [
      "a token that is not waited for",
      one({ ...invoke("f"), Parameters: { FunctionName: "f", Payload: { "t.$": "$$.Task.Token" } } }),
      /Task\.Token/,
    ],
    [
      "another resource",
      one({ Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage", Parameters: {}, End: true }),
      /Only\.Resource: .*lambda:invoke/,
    ],
    [
      "a start that is not there",
      { StartAt: "Nowhere", States: { Only: { Type: "Succeed" } } },
      /StartAt Nowhere is not a state/,
    ],
    ["a state that is not there", one({ Type: "Pass", Next: "Nowhere" }), /Only: Nowhere is not a state/],
    [
      "a choice that is not there",
      one({ Type: "Choice", Choices: [{ Variable: "$.a", IsNull: true, Next: "Nowhere" }] }),
      /Nowhere is not a state/,
    ],
    ["a state without an end", one({ Type: "Pass" }), /Only: Next or End is missing/],
    ["a field of states that is not played", one({ Type: "Pass", Assign: {}, End: true }), /Only: .*Assign/],
    [
      "an operator that does not exist",
      { StartAt: "A", States: { A: { Type: "Choice", Choices: [{ Variable: "$.a", Is: 1, Next: "A" }] } } },
      /A\.Choices\.0: the operator Is does not exist/,
    ],
    ["another type of state", one({ Type: "Sleep", End: true }), /Only.*: Type Sleep is not played here/],
  ])("%s", async (_, definition, message) => {
    await expect(startTestAws({ stateMachines: { machine: definition } })).rejects.toThrow(message);
  });
});

it("ends a machine that goes in circles instead of running for ever", async () => {
  const Choices = [{ Variable: "$.stop", IsPresent: true, Next: "Stop" }];
  const States = {
    Turn: { Type: "Pass", Next: "Again" },
    Again: { Type: "Choice", Choices, Default: "Turn" },
    Stop: { Type: "Succeed" },
  };
  const end = await run({ StartAt: "Turn", States });
  expect(end).toMatchObject({ status: "FAILED", error: "States.Runtime" });
});
