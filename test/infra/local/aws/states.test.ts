import { randomBytes } from "node:crypto";
import {
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  ListExecutionsCommand,
  SendTaskFailureCommand,
  SendTaskHeartbeatCommand,
  SendTaskSuccessCommand,
  StartExecutionCommand,
  StopExecutionCommand,
} from "@aws-sdk/client-sfn";
import { describe, expect, it, vi } from "vitest";
import { eventually, executionEnd, runExecution, startTestAws, type TestAws, temporaryFolder } from "./harness.ts";
import { invoke, waitForToken } from "./taskStates.ts";

const PASS = { StartAt: "Only", States: { Only: { Type: "Pass", End: true } } };
const WAIT = { StartAt: "Only", States: { Only: { Type: "Wait", Seconds: 3600, End: true } } };
const TOKEN = { StartAt: "Only", States: { Only: waitForToken("take") } };

const start = (aws: TestAws, machine: string, name: string, input = "{}") =>
  aws.states.send(new StartExecutionCommand({ stateMachineArn: aws.stateMachineArn(machine), name, input }));
const startPass = () => startTestAws({ stateMachines: { pass: PASS, wait: WAIT } });

describe("StartExecution", () => {
  it("answers the same execution for the same name and input while it runs, and refuses another input", async () => {
    const aws = await startPass();
    const first = await start(aws, "wait", "a-1", '{"id":1}');
    const second = await start(aws, "wait", "a-1", '{"id":1}');
    expect(second.executionArn).toBe(first.executionArn);
    expect(second.startDate).toEqual(first.startDate);
    await expect(start(aws, "wait", "a-1", '{"id":2}')).rejects.toMatchObject({ name: "ExecutionAlreadyExists" });
  });

  it("starts one execution for 20 starts at once", async () => {
    const aws = await startPass();
    const answers = await Promise.all(Array.from({ length: 20 }, () => start(aws, "wait", "once")));
    expect(new Set(answers.map((answer) => answer.startDate?.getTime())).size).toBe(1);
    const { executions } = await aws.states.send(
      new ListExecutionsCommand({ stateMachineArn: aws.stateMachineArn("wait") }),
    );
    expect(executions).toHaveLength(1);
  });

  it("keeps the name of an ended execution, also across a restart, for each state machine by itself", async () => {
    const dataDir = temporaryFolder();
    const before = await startTestAws({ dataDir, stateMachines: { pass: PASS } });
    await runExecution(before, "pass", {}, "b-1");
    await before.close();
    const aws = await startTestAws({ dataDir, stateMachines: { pass: PASS, other: PASS } });
    await expect(start(aws, "pass", "b-1")).rejects.toMatchObject({ name: "ExecutionAlreadyExists" });
    await expect(start(aws, "other", "b-1")).resolves.toBeDefined();
  });

  it("frees the name 90 days after the end", async () => {
    const aws = await startPass();
    await runExecution(aws, "pass", {}, "c-1");
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      vi.setSystemTime(Date.now() + 89 * 86_400_000);
      await expect(start(aws, "pass", "c-1")).rejects.toMatchObject({ name: "ExecutionAlreadyExists" });
      vi.setSystemTime(Date.now() + 2 * 86_400_000);
      await expect(start(aws, "pass", "c-1")).resolves.toBeDefined();
    } finally {
      vi.useRealTimers();
    }
  });

  it.each(["a".repeat(81), "a b", "a/b", "a:b", "a*", "a\u0007", "a{1}", "päth\\", ""])(
    "refuses the name %j",
    async (name) => {
      const aws = await startPass();
      await expect(start(aws, "pass", name)).rejects.toMatchObject({ name: "InvalidName" });
    },
  );

  it("takes 80 characters and 256 KiB of input, not more, and JSON only", async () => {
    const aws = await startPass();
    const ofSize = (bytes: number) => JSON.stringify("x".repeat(bytes - 2));
    await expect(start(aws, "wait", "n".repeat(80), ofSize(256 * 1024))).resolves.toBeDefined();
    await expect(start(aws, "wait", "d", ofSize(256 * 1024 + 1))).rejects.toMatchObject({
      name: "ValidationException",
    });
    await expect(start(aws, "wait", "e", "{")).rejects.toMatchObject({ name: "InvalidExecutionInput" });
  });

  it("names what does not exist", async () => {
    const aws = await startPass();
    await expect(start(aws, "missing", "f")).rejects.toMatchObject({ name: "StateMachineDoesNotExist" });
    const describe_ = (executionArn: string) => aws.states.send(new DescribeExecutionCommand({ executionArn }));
    const arn = "arn:aws:states:us-east-1:000000000000:execution:pass:none";
    await expect(describe_(arn)).rejects.toMatchObject({ name: "ExecutionDoesNotExist" });
    await expect(describe_("nonsense")).rejects.toMatchObject({ name: "InvalidArn" });
  });
});

describe("executions", () => {
  it("are described with input, output, dates and ARNs", async () => {
    const aws = await startPass();
    const end = await runExecution(aws, "pass", { id: 1 }, "g-1");
    expect(end).toMatchObject({
      name: "g-1",
      stateMachineArn: aws.stateMachineArn("pass"),
      status: "SUCCEEDED",
      input: '{"id":1}',
      output: '{"id":1}',
    });
    expect(end.stopDate!.getTime()).toBeGreaterThanOrEqual(end.startDate!.getTime());
  });

  it("are stopped with error and cause, and a stop after the end changes nothing", async () => {
    const aws = await startPass();
    const { executionArn } = await start(aws, "wait", "h-1");
    await aws.states.send(new StopExecutionCommand({ executionArn, error: "Cancelled", cause: "by hand" }));
    await aws.states.send(new StopExecutionCommand({ executionArn, error: "Again" }));
    const end = await executionEnd(aws, executionArn);
    expect(end).toMatchObject({ status: "ABORTED", error: "Cancelled", cause: "by hand" });
    await aws.idle();
  });

  it("are listed newest first, by status, page by page", async () => {
    const aws = await startPass();
    for (const name of ["i-1", "i-2", "i-3"]) await runExecution(aws, "pass", {}, name);
    const stateMachineArn = aws.stateMachineArn("pass");
    const first = await aws.states.send(
      new ListExecutionsCommand({ stateMachineArn, maxResults: 2, statusFilter: "SUCCEEDED" }),
    );
    const second = await aws.states.send(
      new ListExecutionsCommand({ stateMachineArn, maxResults: 2, nextToken: first.nextToken }),
    );
    const names = [...(first.executions ?? []), ...(second.executions ?? [])].map((execution) => execution.name);
    expect(names.toSorted()).toEqual(["i-1", "i-2", "i-3"]);
    expect(second.nextToken).toBeUndefined();
    const running = await aws.states.send(new ListExecutionsCommand({ stateMachineArn, statusFilter: "RUNNING" }));
    expect(running.executions).toEqual([]);
  });

  it("show the states they entered while they run and after they ended", async () => {
    const aws = await startTestAws({
      functions: { take: async () => null },
      stateMachines: { token: TOKEN, pass: PASS },
    });
    const { executionArn } = await start(aws, "token", "j-1");
    await aws.idle();
    const history = async (arn: string | undefined, reverseOrder = false) =>
      (await aws.states.send(new GetExecutionHistoryCommand({ executionArn: arn, reverseOrder }))).events ?? [];
    expect((await history(executionArn)).map((event) => event.type)).toEqual(["ExecutionStarted", "TaskStateEntered"]);
    const ended = await runExecution(aws, "pass", {});
    const events = await history(ended.executionArn, true);
    expect(events.map((event) => event.type)).toEqual([
      "ExecutionSucceeded",
      "PassStateExited",
      "PassStateEntered",
      "ExecutionStarted",
    ]);
    expect(events[2]?.stateEnteredEventDetails?.name).toBe("Only");
  });
});

describe("task tokens", () => {
  it("are not guessable, and a wrong one is told from a used one", async () => {
    const tokens: string[] = [];
    const take = async (event: unknown) => void tokens.push((event as { taskToken: string }).taskToken);
    const aws = await startTestAws({ functions: { take }, stateMachines: { token: TOKEN } });
    await start(aws, "token", "k-1");
    await start(aws, "token", "k-2");
    await eventually(() => expect(tokens).toHaveLength(2));
    expect(new Set(tokens).size).toBe(2);
    expect(Buffer.from(tokens[0]!, "base64url")).toHaveLength(64);
    const send = (taskToken: string) => aws.states.send(new SendTaskSuccessCommand({ taskToken, output: "1" }));
    await expect(send("guess")).rejects.toMatchObject({ name: "InvalidToken" });
    await expect(send(randomBytes(64).toString("base64url"))).rejects.toMatchObject({ name: "TaskDoesNotExist" });
    await aws.states.send(new SendTaskHeartbeatCommand({ taskToken: tokens[0] }));
    await expect(
      aws.states.send(new SendTaskSuccessCommand({ taskToken: tokens[0], output: "{" })),
    ).rejects.toMatchObject({ name: "InvalidOutput" });
    await expect(send(tokens[0]!)).resolves.toBeDefined();
    const failure = new SendTaskFailureCommand({ taskToken: tokens[0] });
    await expect(aws.states.send(failure)).rejects.toMatchObject({ name: "TaskTimedOut" });
  });

  it("of a stopped execution and of an earlier program are gone", async () => {
    const dataDir = temporaryFolder();
    const tokens: string[] = [];
    const take = async (event: unknown) => void tokens.push((event as { taskToken: string }).taskToken);
    const options = { dataDir, functions: { take }, stateMachines: { token: TOKEN } };
    const before = await startTestAws(options);
    const { executionArn } = await start(before, "token", "l-1");
    await start(before, "token", "l-2");
    await eventually(() => expect(tokens).toHaveLength(2));
    await before.states.send(new StopExecutionCommand({ executionArn }));
    await before.close();
    const aws = await startTestAws(options);
    await eventually(() => expect(tokens).toHaveLength(3));
    for (const taskToken of tokens.slice(0, 2)) {
      const send = aws.states.send(new SendTaskSuccessCommand({ taskToken, output: "1" }));
      await expect(send).rejects.toMatchObject({ name: "TaskTimedOut" });
    }
    await aws.states.send(new SendTaskSuccessCommand({ taskToken: tokens[2], output: "1" }));
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
  const { executionArn } = await start(before, "machine", "m-1", '{"id":1}');
  await eventually(() => expect(started).toBe(1));
  await before.close();
  expect(told).toBe(1);
  const aws = await startTestAws({ dataDir, functions: { work: async () => "done" }, stateMachines: { machine } });
  expect(await executionEnd(aws, executionArn)).toMatchObject({ status: "SUCCEEDED", input: '{"id":1}' });
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
  await aws.idle();
  expect(tokens).toHaveLength(1);
  await start(aws, "flaky", "n-2");
  let isIdle = false;
  const idle = aws.idle().then(() => {
    isIdle = true;
  });
  await eventually(() => expect(calls).toBe(2));
  expect(isIdle).toBe(false);
  release();
  await idle;
});
