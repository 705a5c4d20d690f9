import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { SendTaskSuccessCommand, SFNClient, StartExecutionCommand } from "@aws-sdk/client-sfn";
import { expect, it, onTestFinished, vi } from "vitest";
import { arns } from "../../../../infra/local/aws/arns.ts";
import { clientConfig, executionEnd, startTestAws, temporaryFolder } from "./harness.ts";
import { killMachines } from "./killMachines.ts";

const PATIENCE = { timeout: 90_000, interval: 25 };

/** The stand-in as a program of its own, and what it noted. */
async function startChild(dataDir: string) {
  const script = path.join(import.meta.dirname, "killChild.ts");
  const child = spawn(process.execPath, [script, dataDir], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  onTestFinished(kill);
  const [line] = await once(createInterface(child.stdout), "line");
  return { config: clientConfig(String(line)), kill };
}

const calls = (dataDir: string) => {
  const file = path.join(dataDir, "calls");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
};

const start = (states: SFNClient, machine: string, name: string, input = "{}") =>
  states.send(new StartExecutionCommand({ stateMachineArn: arns.stateMachine(machine), name, input }));

async function restart(dataDir: string) {
  const ran: string[] = [];
  const tokens: string[] = [];
  const aws = await startTestAws({
    dataDir,
    stateMachines: killMachines,
    functions: {
      first: async () => {
        ran.push("first");
        return { seconds: 0 };
      },
      second: async () => "finished",
      token: async (event) => void tokens.push((event as { taskToken: string }).taskToken),
      event: async () => void ran.push("event"),
    },
  });
  return { aws, ran, tokens };
}

it.each([
  ["function", "second"],
  ["token", "token"],
] as const)(
  "an execution killed in a %s is run again from its start and finishes",
  async (machine, step) => {
    const dataDir = temporaryFolder();
    const child = await startChild(dataDir);
    const { executionArn } = await start(new SFNClient(child.config), machine, "a-1", '{"id":1}');
    await vi.waitFor(() => expect(calls(dataDir)).toContain(step), PATIENCE);
    await child.kill();

    const { aws, ran, tokens } = await restart(dataDir);
    if (machine === "token") {
      await vi.waitFor(() => expect(tokens).toHaveLength(1), PATIENCE);
      await aws.states.send(new SendTaskSuccessCommand({ taskToken: tokens[0], output: '"finished"' }));
    }
    const end = await executionEnd(aws, executionArn);
    expect(end).toMatchObject({ status: "SUCCEEDED", name: "a-1", input: '{"id":1}', result: "finished" });
    expect(ran).toEqual(["first"]);
  },
  120_000,
);

it("an execution killed in a Wait state finishes", async () => {
  const dataDir = temporaryFolder();
  const child = await startChild(dataDir);
  const { executionArn } = await start(new SFNClient(child.config), "wait", "b-1");
  await vi.waitFor(() => expect(calls(dataDir)).toContain("first"), PATIENCE);
  await child.kill();
  const { aws } = await restart(dataDir);
  expect(await executionEnd(aws, executionArn)).toMatchObject({ status: "SUCCEEDED", result: "finished" });
}, 120_000);

it("whatever was answered before the kill is there after it: executions, events, objects", async () => {
  const dataDir = temporaryFolder();
  const child = await startChild(dataDir);
  const states = new SFNClient(child.config);
  const objects = new S3Client({ ...child.config, forcePathStyle: true });
  const lambda = new LambdaClient(child.config);
  const accepted: string[] = [];
  const stored: string[] = [];
  await lambda.send(new InvokeCommand({ FunctionName: "event", InvocationType: "Event", Payload: "{}" }));
  const work = Array.from({ length: 60 }, async (_, index) => {
    const key = `object-${index}`;
    await objects.send(new PutObjectCommand({ Bucket: "bucket", Key: key, Body: key.repeat(1000) }));
    stored.push(key);
    accepted.push((await start(states, "function", `c-${index}`)).executionArn ?? "");
    if (accepted.length === 15) await child.kill();
  });
  await Promise.allSettled(work);
  expect(accepted.length).toBeGreaterThanOrEqual(15);

  const { aws, ran } = await restart(dataDir);
  for (const arn of accepted) expect(await executionEnd(aws, arn)).toMatchObject({ status: "SUCCEEDED" });
  for (const key of stored) {
    const answer = await aws.objects.send(new GetObjectCommand({ Bucket: "bucket", Key: key }));
    expect(await answer.Body?.transformToString()).toBe(key.repeat(1000));
  }
  await vi.waitFor(() => expect(ran).toContain("event"), PATIENCE);
}, 120_000);

it("two programs do not share one folder", async () => {
  const dataDir = temporaryFolder();
  await startChild(dataDir);
  await expect(startTestAws({ dataDir })).rejects.toThrow("another program is using the data");
}, 120_000);
