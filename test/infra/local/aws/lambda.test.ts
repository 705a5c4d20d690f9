import { InvokeCommand } from "@aws-sdk/client-lambda";
import { expect, it } from "vitest";
import { eventually, startTestAws, type TestAws, temporaryFolder } from "./harness.ts";

const call = (
  aws: TestAws,
  FunctionName: string,
  payload: unknown,
  type: "RequestResponse" | "Event" = "RequestResponse",
) => aws.lambda.send(new InvokeCommand({ FunctionName, InvocationType: type, Payload: JSON.stringify(payload) }));

it("invokes by name, by ARN and by partial ARN, JSON in and JSON out", async () => {
  const aws = await startTestAws({ functions: { double: async (event) => ({ event, undefined: undefined }) } });
  for (const name of ["double", "double:live", aws.functionArn("double"), "000000000000:function:double"]) {
    const answer = await call(aws, name, { n: 1 });
    expect(answer.StatusCode).toBe(200);
    expect(answer.FunctionError).toBeUndefined();
    expect(JSON.parse(answer.Payload!.transformToString())).toEqual({ event: { n: 1 } });
  }
});

it("answers a throw as a function error with type and message", async () => {
  const fail = async () => {
    throw new RangeError("too far");
  };
  const aws = await startTestAws({ functions: { fail } });
  const answer = await call(aws, "fail", {});
  expect(answer).toMatchObject({ StatusCode: 200, FunctionError: "Unhandled" });
  expect(JSON.parse(answer.Payload!.transformToString())).toMatchObject({
    errorType: "RangeError",
    errorMessage: "too far",
  });
});

it("names a function that does not exist, also for events and for names of Object's own", async () => {
  const aws = await startTestAws();
  for (const name of ["missing", "constructor"]) {
    await expect(call(aws, name, {})).rejects.toMatchObject({ name: "ResourceNotFoundException" });
    await expect(call(aws, name, {}, "Event")).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  }
});

it("accepts an event before the function ends and tries a failing one three times", async () => {
  let calls = 0;
  const fail = async () => {
    calls += 1;
    throw new Error("no");
  };
  const aws = await startTestAws({ functions: { fail } });
  expect((await call(aws, "fail", {}, "Event")).StatusCode).toBe(202);
  await eventually(() => expect(calls).toBe(3));
  await eventually(() => expect(aws.log.filter((line) => line.includes("event for fail failed"))).toHaveLength(3));
  await aws.close();
  let again = 0;
  const count = async () => {
    again += 1;
  };
  const next = await startTestAws({ dataDir: aws.dataDir, functions: { fail: count } });
  expect((await call(next, "fail", {})).StatusCode).toBe(200);
  expect(again).toBe(1);
});

it("delivers an event that was accepted before a restart", async () => {
  const dataDir = temporaryFolder();
  const hang = (_: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("closing"))));
  const before = await startTestAws({ dataDir, functions: { work: hang } });
  await call(before, "work", { id: 1 }, "Event");
  await before.close();
  const seen: unknown[] = [];
  await startTestAws({ dataDir, functions: { work: async (event) => void seen.push(event) } });
  await eventually(() => expect(seen).toEqual([{ id: 1 }]));
});
