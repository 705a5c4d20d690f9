import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  CreateScheduleGroupCommand,
  DeleteScheduleCommand,
  DeleteScheduleGroupCommand,
  GetScheduleCommand,
  ListScheduleGroupsCommand,
  ListSchedulesCommand,
  UpdateScheduleCommand,
} from "@aws-sdk/client-scheduler";
import { ListExecutionsCommand } from "@aws-sdk/client-sfn";
import { afterEach, describe, expect, it, vi } from "vitest";
import { eventually, startTestAws, type TestAws, temporaryFolder } from "./harness.ts";

const PASS = { StartAt: "Only", States: { Only: { Type: "Pass", End: true } } };

afterEach(() => void vi.useRealTimers());

/** A stand-in whose function `tick` notes its events. */
async function startClock(dataDir = temporaryFolder()) {
  const ticks: unknown[] = [];
  const tick = async (event: unknown) => void ticks.push(event);
  const aws = await startTestAws({ dataDir, functions: { tick }, stateMachines: { pass: PASS } });
  return { aws, ticks };
}

function schedule(aws: TestAws, rest: Partial<CreateScheduleCommandInput> = {}): CreateScheduleCommandInput {
  return {
    Name: "tick",
    ScheduleExpression: "rate(1 minute)",
    FlexibleTimeWindow: { Mode: "OFF" },
    Target: { Arn: aws.functionArn("tick"), RoleArn: "arn:aws:iam::000000000000:role/scheduler", Input: '{"n":1}' },
    ...rest,
  };
}

const create = (aws: TestAws, rest: Partial<CreateScheduleCommandInput> = {}) =>
  aws.scheduler.send(new CreateScheduleCommand(schedule(aws, rest)));
const at = (milliseconds: number) => `at(${new Date(Date.now() + milliseconds).toISOString().slice(0, 19)})`;

function setClock(time: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: time });
}

describe("a due schedule", () => {
  it("invokes a function with the input, at once for a rate without a start date", async () => {
    const { aws, ticks } = await startClock();
    await create(aws);
    await eventually(() => expect(ticks).toEqual([{ n: 1 }]));
  });

  it("starts a state machine and fills in the scheduled time", async () => {
    const { aws } = await startClock();
    const Target = {
      Arn: aws.stateMachineArn("pass"),
      RoleArn: "role",
      Input: '{"time":"<aws.scheduler.scheduled-time>","id":"<aws.scheduler.execution-id>"}',
    };
    await create(aws, { ScheduleExpression: at(0), Target });
    const stateMachineArn = aws.stateMachineArn("pass");
    await eventually(async () => {
      const { executions } = await aws.states.send(new ListExecutionsCommand({ stateMachineArn }));
      expect(executions).toHaveLength(1);
    });
  });

  it("that is done for ever goes away by itself when asked to, and stays otherwise", async () => {
    const { aws, ticks } = await startClock();
    await create(aws, { Name: "once", ScheduleExpression: at(0), ActionAfterCompletion: "DELETE" });
    await create(aws, { Name: "stays", ScheduleExpression: at(0) });
    await eventually(() => expect(ticks).toHaveLength(2));
    const get = (Name: string) => aws.scheduler.send(new GetScheduleCommand({ Name }));
    await expect(get("once")).rejects.toMatchObject({ name: "ResourceNotFoundException" });
    await expect(get("stays")).resolves.toMatchObject({ Name: "stays", State: "ENABLED" });
  });

  it("comes again after a restart, once for all times it missed, and not for a time a day ago", async () => {
    const dataDir = temporaryFolder();
    const first = await startClock(dataDir);
    await create(first.aws);
    await create(first.aws, { Name: "once", ScheduleExpression: at(3_600_000) });
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

  it("does nothing while disabled, before its start date and after its end date", async () => {
    const { aws, ticks } = await startClock();
    const hour = 3_600_000;
    await create(aws, { Name: "off", State: "DISABLED" });
    await create(aws, { Name: "later", StartDate: new Date(Date.now() + hour) });
    await create(aws, { Name: "over", EndDate: new Date(Date.now() - hour) });
    await create(aws, { Name: "now", Target: { ...schedule(aws).Target!, Input: '"now"' } });
    await eventually(() => expect(ticks).toEqual(["now"]));
  });
});

describe("schedules", () => {
  it("are read back as they were written, also after a restart, and changed as a whole", async () => {
    const dataDir = temporaryFolder();
    const { aws } = await startClock(dataDir);
    const ScheduleExpressionTimezone = "Europe/Berlin";
    const Description = "nightly";
    const { ScheduleArn } = await create(aws, {
      ScheduleExpression: "cron(0 3 * * ? *)",
      ScheduleExpressionTimezone,
      Description,
    });
    await aws.close();
    const next = (await startClock(dataDir)).aws;
    const get = () => next.scheduler.send(new GetScheduleCommand({ Name: "tick" }));
    const before = await get();
    expect(before).toMatchObject({
      Arn: ScheduleArn,
      GroupName: "default",
      ScheduleExpression: "cron(0 3 * * ? *)",
      ScheduleExpressionTimezone,
      Description,
      State: "ENABLED",
      Target: schedule(next).Target,
    });
    await next.scheduler.send(new UpdateScheduleCommand(schedule(next, { State: "DISABLED" })));
    const after = await get();
    expect(after).toMatchObject({
      State: "DISABLED",
      ScheduleExpression: "rate(1 minute)",
      CreationDate: before.CreationDate,
    });
    expect(after.Description).toBeUndefined();
  });

  it("start and stop with their state", async () => {
    const { aws, ticks } = await startClock();
    await create(aws, { State: "DISABLED" });
    await aws.scheduler.send(new UpdateScheduleCommand(schedule(aws, { State: "ENABLED" })));
    await eventually(() => expect(ticks).toHaveLength(1));
  });

  it("are named once in a group, and what is not there is not found", async () => {
    const { aws } = await startClock();
    await create(aws);
    await expect(create(aws)).rejects.toMatchObject({ name: "ConflictException" });
    await aws.scheduler.send(new DeleteScheduleCommand({ Name: "tick" }));
    const missing = { name: "ResourceNotFoundException" };
    await expect(aws.scheduler.send(new DeleteScheduleCommand({ Name: "tick" }))).rejects.toMatchObject(missing);
    await expect(aws.scheduler.send(new GetScheduleCommand({ Name: "tick" }))).rejects.toMatchObject(missing);
    await expect(aws.scheduler.send(new UpdateScheduleCommand(schedule(aws)))).rejects.toMatchObject(missing);
    await expect(create(aws, { GroupName: "none" })).rejects.toMatchObject(missing);
  });

  it.each([
    { ScheduleExpression: "rate(1 second)" },
    { ScheduleExpressionTimezone: "Mars/Olympus", ScheduleExpression: "cron(0 1 * * ? *)" },
    { Name: "a b" },
    { Name: "x".repeat(65) },
    { Target: { Arn: "arn:aws:sqs:us-east-1:000000000000:queue", RoleArn: "role" } },
    { Target: { Arn: "arn:aws:lambda:us-east-1:000000000000:function:tick", RoleArn: "role", Input: "{" } },
  ])("are refused when wrong: %j", async (rest) => {
    const { aws } = await startClock();
    await expect(create(aws, rest)).rejects.toMatchObject({ name: "ValidationException" });
    expect((await aws.scheduler.send(new ListSchedulesCommand({}))).Schedules).toEqual([]);
  });

  it("are listed by group, state and prefix, page by page, and go with their group", async () => {
    const { aws } = await startClock();
    await aws.scheduler.send(new CreateScheduleGroupCommand({ Name: "slipway" }));
    for (const Name of ["a-1", "a-2", "a-3", "b-1"])
      await create(aws, { Name, GroupName: "slipway", State: "DISABLED" });
    await create(aws, { Name: "a-1", State: "DISABLED" });
    const list = async (input: object) => {
      const answer = await aws.scheduler.send(new ListSchedulesCommand(input));
      return { names: answer.Schedules?.map((item) => `${item.GroupName}/${item.Name}`), next: answer.NextToken };
    };
    const first = await list({ GroupName: "slipway", NamePrefix: "a", MaxResults: 2 });
    expect(first.names).toEqual(["slipway/a-1", "slipway/a-2"]);
    const second = await list({ GroupName: "slipway", NamePrefix: "a", MaxResults: 2, NextToken: first.next });
    expect(second).toEqual({ names: ["slipway/a-3"], next: undefined });
    expect((await list({ State: "ENABLED" })).names).toEqual([]);
    await aws.scheduler.send(new DeleteScheduleGroupCommand({ Name: "slipway" }));
    expect((await list({})).names).toEqual(["default/a-1"]);
    const groups = await aws.scheduler.send(new ListScheduleGroupsCommand({}));
    expect(groups.ScheduleGroups?.map((group) => group.Name)).toEqual(["default"]);
  });
});
