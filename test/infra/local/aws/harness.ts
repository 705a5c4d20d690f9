import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished, vi } from "vitest";
import { type AdapterOptions, type LocalAws, startAdapters } from "../../../../infra/local/aws/start.ts";

export type TestAws = Awaited<ReturnType<typeof startTestAws>>;

/** A folder that goes away with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "slipway-aws-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Adapters on a folder of their own, closed with the test. */
export async function startTestAws(options: Partial<AdapterOptions> = {}) {
  const dataDir = options.dataDir ?? temporaryFolder();
  const log: string[] = [];
  const aws = startAdapters({
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
  return { ...aws, allSchedules: aws.schedules.all, ...aws.adapters, close, dataDir, log };
}

/** Starts an execution and waits for its end. */
export async function runExecution(aws: TestAws, machine: string, input: unknown, name = "run") {
  await aws.stateMachines.start(machine, name, JSON.stringify(input));
  return executionEnd(aws, machine, name);
}

/** Waits until a condition holds, with patience for a slow machine. */
export function eventually<T>(condition: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(condition, { timeout: 25_000, interval: 10 });
}

/** What is stored of an execution once it has ended; `result` is its output. */
export function executionEnd({ executions }: Pick<LocalAws, "executions">, machine: string, name: string) {
  return eventually(() => {
    const execution = executions.get(machine, name);
    if (execution === undefined || execution.status === "RUNNING") throw new Error("it still runs");
    return { ...execution, result: execution.output === undefined ? undefined : JSON.parse(execution.output) };
  });
}
