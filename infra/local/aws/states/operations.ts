import { randomUUID } from "node:crypto";
import * as z from "zod";
import { arns, stateMachineNameOf } from "../arns.ts";
import { AwsError } from "../awsError.ts";
import type { JsonOperations } from "../jsonService.ts";
import { page, pageStart } from "../page.ts";
import { parseInput } from "../service.ts";
import type { ExecutionEngine } from "./executionEngine.ts";
import { EXECUTION_STATUSES, type Execution, type ExecutionStore } from "./executionStore.ts";
import type { Json } from "./json.ts";
import { maxDataBytes } from "./playMachine.ts";
import type { TaskTokens } from "./taskTokens.ts";

/** Control characters, white space, brackets, wildcards and the other characters Step Functions keeps out of names. */
const FORBIDDEN_IN_NAMES = /[\p{Cc}\p{Cs}\s<>{}[\]?*"#%\\^|~`$&,;:/]/u;

const upTo256KiB = z.string().refine((text) => Buffer.byteLength(text) <= maxDataBytes, "more than 256 KiB");
const startInput = z.object({
  stateMachineArn: z.string(),
  name: z.string().optional(),
  input: upTo256KiB.default("{}"),
});
const executionInput = z.object({ executionArn: z.string() });
const error = z.string().max(256).optional();
const cause = z.string().max(32_768).optional();
const stopInput = executionInput.extend({ error, cause });
const pageInput = { maxResults: z.int().min(0).max(1000).default(0), nextToken: z.string().optional() };
const listInput = z.object({
  ...pageInput,
  stateMachineArn: z.string(),
  statusFilter: z.enum(EXECUTION_STATUSES).optional(),
});
const historyInput = executionInput.extend({ ...pageInput, reverseOrder: z.boolean().default(false) });
const taskToken = z.string().min(1).max(2048);
const successInput = z.object({ taskToken, output: upTo256KiB });
const failureInput = z.object({ taskToken, error, cause });
const heartbeatInput = z.object({ taskToken });

type Parts = { engine: ExecutionEngine; store: ExecutionStore; tokens: TaskTokens };

/** The operations of Step Functions (client-sfn) that start, stop and show executions and settle task tokens. */
export function statesOperations({ engine, store, tokens }: Parts): JsonOperations {
  const machineOf = (arn: string): string => {
    const name = stateMachineNameOf(arn);
    if (name === undefined) throw new AwsError("InvalidArn", `Invalid Arn: '${arn}'`);
    engine.checkMachine(name);
    return name;
  };
  return {
    StartExecution(body) {
      const { stateMachineArn, name = randomUUID(), input } = parseInput(startInput, body);
      const machine = machineOf(stateMachineArn);
      checkName(name);
      parseText(input, "InvalidExecutionInput");
      const execution = engine.start(machine, name, input);
      return { executionArn: arns.execution(machine, name), startDate: execution.startMs / 1000 };
    },
    StopExecution(body) {
      const { executionArn, ...reason } = parseInput(stopInput, body);
      const { machine, name } = findExecution(store, executionArn);
      engine.stop(machine, name, reason.error, reason.cause);
      return { stopDate: (store.get(machine, name)?.stopMs ?? 0) / 1000 };
    },
    DescribeExecution(body) {
      return describe(findExecution(store, parseInput(executionInput, body).executionArn));
    },
    ListExecutions(body) {
      const { stateMachineArn, statusFilter, maxResults, nextToken } = parseInput(listInput, body);
      const start = pageStart(nextToken);
      const size = maxResults || 100;
      const { items, next } = page(store.list(machineOf(stateMachineArn), statusFilter, size + 1, start), start, size);
      return { executions: items.map(summary), nextToken: next };
    },
    GetExecutionHistory(body) {
      const { executionArn, maxResults, nextToken, reverseOrder } = parseInput(historyInput, body);
      const { machine, name } = findExecution(store, executionArn);
      const events = engine.history(machine, name);
      const start = pageStart(nextToken);
      const size = maxResults || 100;
      const ordered = reverseOrder ? events.toReversed() : events;
      const { items, next } = page(ordered.slice(start, start + size + 1), start, size);
      return { events: items, nextToken: next };
    },
    SendTaskSuccess(body) {
      const input = parseInput(successInput, body);
      const output = parseText(input.output, "InvalidOutput");
      tokens.take(input.taskToken).succeed(output);
    },
    SendTaskFailure(body) {
      const input = parseInput(failureInput, body);
      tokens.take(input.taskToken).fail(input.error ?? "", input.cause ?? "");
    },
    SendTaskHeartbeat(body) {
      tokens.find(parseInput(heartbeatInput, body).taskToken).heartbeat();
    },
  };
}

function checkName(name: string): void {
  if (name.length < 1 || name.length > 80 || FORBIDDEN_IN_NAMES.test(name)) {
    throw new AwsError("InvalidName", `Invalid Name: '${name}'`);
  }
}

function parseText(text: string, errorName: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    throw new AwsError(errorName, "it is not JSON");
  }
}

function findExecution(store: ExecutionStore, arn: string): Execution {
  const match = /^arn:aws[^:]*:states:[^:]*:\d{12}:execution:([^:]+):([^:]+)$/.exec(arn);
  if (!match?.[1] || !match[2]) throw new AwsError("InvalidArn", `Invalid Arn: '${arn}'`);
  const execution = store.get(match[1], match[2]);
  if (!execution) throw new AwsError("ExecutionDoesNotExist", `Execution Does Not Exist: '${arn}'`);
  return execution;
}

function summary({ machine, name, status, startMs, stopMs }: Execution) {
  return {
    executionArn: arns.execution(machine, name),
    stateMachineArn: arns.stateMachine(machine),
    name,
    status,
    startDate: startMs / 1000,
    stopDate: stopMs === undefined ? undefined : stopMs / 1000,
  };
}

function describe(execution: Execution) {
  const { input, output, error, cause } = execution;
  return { ...summary(execution), input, inputDetails: { included: true }, output, error, cause, redriveCount: 0 };
}
