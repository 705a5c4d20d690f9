import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { KMSClient } from "@aws-sdk/client-kms";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { S3Client } from "@aws-sdk/client-s3";
import { SchedulerClient } from "@aws-sdk/client-scheduler";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { DescribeExecutionCommand, SFNClient, StartExecutionCommand } from "@aws-sdk/client-sfn";
import { onTestFinished, vi } from "vitest";
import { type AwsStandInOptions, startAwsStandIn } from "../../../../infra/local/aws/start.ts";

export type TestAws = Awaited<ReturnType<typeof startTestAws>>;

/** A folder that goes away with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "slipway-aws-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A stand-in on a folder of its own, closed with the test, and unmodified clients of the SDK. */
export async function startTestAws(options: Partial<AwsStandInOptions> = {}) {
  const dataDir = options.dataDir ?? temporaryFolder();
  const log: string[] = [];
  const aws = await startAwsStandIn({
    functions: {},
    stateMachines: {},
    log: (line) => log.push(line),
    ...options,
    dataDir,
  });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= aws.close();
    return closing;
  };
  onTestFinished(close);
  const config = clientConfig(aws.endpoint);
  const clients = {
    states: new SFNClient(config),
    lambda: new LambdaClient(config),
    kms: new KMSClient(config),
    scheduler: new SchedulerClient(config),
    secrets: new SecretsManagerClient(config),
    objects: new S3Client({ ...config, forcePathStyle: true }),
  };
  return { ...aws, ...clients, close, dataDir, log };
}

export function clientConfig(endpoint: string) {
  return {
    endpoint,
    region: "eu-central-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 1,
  };
}

/** Starts an execution and waits for its end. */
export async function runExecution(aws: TestAws, machine: string, input: unknown, name?: string) {
  const start = { stateMachineArn: aws.stateMachineArn(machine), input: JSON.stringify(input) };
  const { executionArn } = await aws.states.send(
    new StartExecutionCommand(name === undefined ? start : { ...start, name }),
  );
  return executionEnd(aws, executionArn);
}

/** Waits until a condition holds, with patience for a slow machine. */
export function eventually<T>(condition: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(condition, { timeout: 25_000, interval: 10 });
}

/** The description of an execution once it has ended. */
export function executionEnd(aws: TestAws, executionArn: string | undefined) {
  return eventually(async () => {
    const execution = await aws.states.send(new DescribeExecutionCommand({ executionArn }));
    if (execution.status === "RUNNING") throw new Error("it still runs");
    return { ...execution, result: execution.output === undefined ? undefined : JSON.parse(execution.output) };
  });
}
