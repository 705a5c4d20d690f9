import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { arns, functionNameOf, stateMachineNameOf } from "./arns.ts";
import { openDatabase, setting } from "./database.ts";
import { eventsOperations } from "./events/operations.ts";
import { jsonService } from "./jsonService.ts";
import { openKeyFile } from "./kms/keyFile.ts";
import { kmsOperations } from "./kms/operations.ts";
import { createEventQueue } from "./lambda/eventQueue.ts";
import { createFunctionRunner, type LocalFunction } from "./lambda/functionRunner.ts";
import { lambdaService } from "./lambda/service.ts";
import { createObjectStore } from "./objects/objectStore.ts";
import { objectService } from "./objects/service.ts";
import { Scheduler } from "./scheduler/scheduler.ts";
import { createScheduleStore } from "./scheduler/scheduleStore.ts";
import { schedulerService } from "./scheduler/service.ts";
import { secretsOperations } from "./secrets/operations.ts";
import { createAwsServer } from "./server.ts";
import { ExecutionEngine } from "./states/executionEngine.ts";
import { createExecutionStore } from "./states/executionStore.ts";
import { type Machine, readMachine } from "./states/machine.ts";
import { statesOperations } from "./states/operations.ts";
import { TaskTokens } from "./states/taskTokens.ts";

export type AwsStandInOptions = {
  /** Everything is stored below this folder; it is made when it is not there. */
  dataDir: string;
  /** What is published on event buses is appended to this file; without one it stands in `dataDir`. */
  eventsFile?: string;
  /** 0 or absent: a free one. Only 127.0.0.1 is listened on. */
  port?: number;
  /** The Lambda functions by name. `signal` is aborted when the stand-in closes. */
  functions: Record<string, LocalFunction>;
  /** Name → Amazon States Language definition (JSONPath), with the names of functions already filled in. */
  stateMachines: Record<string, object>;
  log?: (line: string) => void;
};

export type AwsStandIn = {
  endpoint: string;
  stateMachineArn(name: string): string;
  functionArn(name: string): string;
  keyId: string;
  /**
   * Resolves when every running execution waits for task tokens and for nothing else: no function, Wait state or retry
   * delay of an execution is under way. Event invocations and schedules do not count.
   */
  idle(): Promise<void>;
  /**
   * Ends timers and runs, aborts running functions and waits up to five seconds for them. Executions stay RUNNING and
   * undelivered events stay queued for the next start.
   */
  close(): Promise<void>;
};

const GRACE_MILLISECONDS = 5_000;

/**
 * Starts what stands in for AWS on one machine: Step Functions, EventBridge and its Scheduler, S3, KMS, Lambda and
 * Secrets Manager behind one loopback endpoint, for the unmodified clients of the AWS SDK (S3 in path style). What a killed
 * program left running runs again.
 * @throws Error when the folder is in use or its key is missing or damaged, a definition is wrong, or the port is taken
 */
export async function startAwsStandIn(options: AwsStandInOptions): Promise<AwsStandIn> {
  const machines = new Map(
    Object.entries(options.stateMachines).map(([name, definition]) => [name, readMachine(name, definition)]),
  );
  const database = openDatabase(options.dataDir);
  try {
    return await startOn(database, machines, options);
  } catch (error) {
    database.close();
    throw error;
  }
}

async function startOn(
  database: DatabaseSync,
  machines: Map<string, Machine>,
  { dataDir, eventsFile = path.join(dataDir, "events.ndjson"), port = 0, functions, log = () => {} }: AwsStandInOptions,
): Promise<AwsStandIn> {
  const key = openKeyFile(path.join(dataDir, "kms.key"));
  if (setting(database, "key id", () => key.id) !== key.id) {
    throw new Error(`${path.join(dataDir, "kms.key")} is not the key that the data beside it was encrypted with`);
  }
  const seal = setting(database, "token seal", () => randomBytes(32).toString("hex"));
  const tokens = new TaskTokens(Buffer.from(seal, "hex"));
  const runner = createFunctionRunner(functions);
  const queue = createEventQueue(database, runner, log);
  const store = createExecutionStore(database);
  const engine = new ExecutionEngine({ store, machines, functions: runner, tokens, log });
  const schedules = createScheduleStore(database);
  const deliver = (targetArn: string, input: string): void => {
    const machine = stateMachineNameOf(targetArn);
    if (machine === undefined) queue.add(functionNameOf(targetArn), input);
    else engine.start(machine, randomUUID(), input);
  };
  const scheduler = new Scheduler({ database, store: schedules, deliver, log });
  const server = createAwsServer(
    {
      states: jsonService(statesOperations({ engine, store, tokens })),
      lambda: lambdaService(runner, queue),
      kms: jsonService(kmsOperations(key)),
      scheduler: schedulerService(schedules, scheduler),
      secretsmanager: jsonService(secretsOperations(database, key)),
      events: jsonService(eventsOperations(eventsFile)),
      s3: objectService(createObjectStore(database, path.join(dataDir, "objects"))),
    },
    log,
  );
  const endpoint = await listen(server, port);
  queue.resume();
  engine.resume();
  scheduler.arm();
  return {
    endpoint,
    stateMachineArn: arns.stateMachine,
    functionArn: arns.function,
    keyId: key.id,
    idle: () => engine.idle(),
    async close() {
      scheduler.stop();
      engine.close();
      queue.stop();
      await runner.stop(GRACE_MILLISECONDS);
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      database.close();
    },
  };
}

async function listen(server: Server, port: number): Promise<string> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server has no port");
  return `http://127.0.0.1:${address.port}`;
}
