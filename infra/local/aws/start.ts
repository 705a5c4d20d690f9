import { randomBytes, randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { Readable } from "node:stream";
import { type Adapters, type EventBus, type KeyService, provideAdapters } from "../../../shared/base/aws/adapters.ts";
import { openDatabase, setting } from "./database.ts";
import { createEventQueue } from "./functions/eventQueue.ts";
import { createFunctionRunner, type FunctionRunner, type LocalFunction } from "./functions/functionRunner.ts";
import { type LocalKey, openKeyFile } from "./keys/keyFile.ts";
import { type ObjectFolder, openObjectFolder } from "./objects/objectFolder.ts";
import { signedAddresses } from "./objects/signedAddresses.ts";
import { Scheduler } from "./scheduler/scheduler.ts";
import { createScheduleStore, type ScheduleStore } from "./scheduler/scheduleStore.ts";
import { createSocketServer, type FollowServices, type SocketServer } from "./sockets/socketServer.ts";
import { ExecutionEngine } from "./states/executionEngine.ts";
import { createExecutionStore, type ExecutionStore } from "./states/executionStore.ts";
import { type Machine, readMachine } from "./states/machine.ts";
import { TaskTokens } from "./states/taskTokens.ts";

export type AdapterOptions = {
  /** Everything is stored below this folder; it is made when it is not there. */
  dataDir: string;
  /** What is published on the event bus is appended to this file; without one it is in `dataDir`. */
  eventsFile?: string;
  /** The functions by name. `signal` is aborted when the adapters close. */
  functions: Record<string, LocalFunction>;
  /** Name → Amazon States Language definition (JSONPath), with the names of functions already filled in. */
  stateMachines: Record<string, object>;
  log?: (line: string) => void;
  /** Tells connections of sockets of the services of environments; absent: nothing does. */
  followServices?: FollowServices;
  /** Takes the adapters that are made; absent: `provideAdapters`. */
  provide?: (adapters: Adapters) => void;
};

export type LocalAws = {
  adapters: Adapters;
  /** What is stored of executions, and the engine that runs them. */
  executions: ExecutionStore;
  engine: ExecutionEngine;
  tokens: TaskTokens;
  scheduler: Scheduler;
  schedules: ScheduleStore;
  /** Connections of change sockets. */
  sockets: SocketServer;
  /** Signed addresses of objects begin with this address of the gateway; none can be signed before it is known. */
  serveObjectsAt(address: string): void;
  /** Answers a request to a signed address, below `objectsPath`. */
  answerObject(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /**
   * Ends timers and runs, aborts running functions and waits up to five seconds for them. Executions stay RUNNING and
   * undelivered events stay queued for the next start.
   */
  close(): Promise<void>;
};

const GRACE_MILLISECONDS = 5_000;

/**
 * Starts the adapters of one machine over a folder and provides them to this process: objects, keys, schedules, functions,
 * state machines and the event bus. What a killed program left running runs again.
 * @throws Error when the folder is in use, its key is missing or damaged, or a definition is wrong
 */
export function startAdapters(options: AdapterOptions): LocalAws {
  const machines = new Map(
    Object.entries(options.stateMachines).map(([name, definition]) => [name, readMachine(name, definition)]),
  );
  const database = openDatabase(options.dataDir);
  try {
    return startOn(database, machines, options);
  } catch (error) {
    database.close();
    throw error;
  }
}

function startOn(database: DatabaseSync, machines: Map<string, Machine>, options: AdapterOptions): LocalAws {
  const { dataDir, eventsFile = path.join(dataDir, "events.ndjson"), functions, log = () => {} } = options;
  const { provide = provideAdapters } = options;
  const key = openKeyFile(path.join(dataDir, "kms.key"));
  if (setting(database, "key id", () => key.id) !== key.id) {
    throw new Error(`${path.join(dataDir, "kms.key")} is not the key that the data beside it was encrypted with`);
  }
  const tokens = new TaskTokens();
  const runner = createFunctionRunner(functions);
  const queue = createEventQueue(database, runner, log);
  const executions = createExecutionStore(database);
  const engine = new ExecutionEngine({ store: executions, machines, functions: runner, tokens, log });
  const schedules = createScheduleStore(database);
  const scheduler = new Scheduler({ database, store: schedules, deliver: queue.add, log });
  const folder = openObjectFolder(database, path.join(dataDir, "objects"));
  const addresses = signedAddresses(folder, key.derive("signed addresses of objects"));
  const sockets = createSocketServer(runner, "change-socket", options.followServices);
  let objectsAt = "";
  const adapters: Adapters = {
    objects: {
      ...objectsIn(folder),
      sign: async (...what) => {
        if (objectsAt === "") throw new Error("no address can be signed before the gateway listens");
        return objectsAt + addresses.sign(...what);
      },
    },
    keys: dataKeys(key),
    schedules: scheduler,
    functions: {
      invoke: (name, payload) => invoke(runner, name, payload),
      invokeLater: async (...event) => queue.add(...event),
    },
    stateMachines: {
      start: async (...execution) => engine.start(...execution),
      status: async (...execution) => executions.get(...execution)?.status,
      running: async (machine) => executions.list(machine, "RUNNING").map(({ name }) => name),
      stop: async (...execution) => engine.stop(...execution),
      settle: async (token, output) => tokens.succeed(token, JSON.parse(output)),
    },
    events: busFile(eventsFile),
    sockets: sockets.adapter,
  };
  provide(adapters);
  queue.resume();
  engine.resume();
  scheduler.arm();
  return {
    ...{ adapters, executions, engine, tokens, schedules, scheduler, sockets },
    serveObjectsAt: (address) => {
      objectsAt = address;
    },
    answerObject: addresses.answer,
    async close() {
      scheduler.stop();
      engine.close();
      queue.stop();
      await runner.stop(GRACE_MILLISECONDS);
      database.close();
    },
  };
}

function objectsIn(folder: ObjectFolder): Omit<Adapters["objects"], "sign"> {
  return {
    put: ({ key, content, contentType, contentEncoding }) =>
      folder.put(key, Readable.from([content]), {
        "content-type": contentType,
        ...(contentEncoding !== undefined && { "content-encoding": contentEncoding }),
      }),
    open: async (key) => folder.open(key)?.content,
    list: async (prefix) => folder.list(prefix),
    remove: async (keys) => {
      for (const key of keys) folder.remove(key);
    },
  };
}

async function invoke(runner: FunctionRunner, name: string, payload: string) {
  const { error, payload: answer } = await runner.run(name, payload);
  return error ? { failed: true, answer: JSON.stringify(error) } : { failed: false, answer };
}

/**
 * The event bus of one machine: every event becomes a line of the file, in the form in which targets of EventBridge's
 * rules get it. There are no rules; a program that wants to know reads the file.
 */
function busFile(file: string): EventBus {
  return {
    async publish(events) {
      const lines = events.map(({ detailType, detail, time }) => ({
        version: "0",
        id: randomUUID(),
        "detail-type": detailType,
        source: "slipway",
        account: "000000000000",
        time: new Date(time * 1000).toISOString().replace(/\.\d+Z$/, "Z"),
        region: "us-east-1",
        resources: [],
        detail,
      }));
      appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""), { mode: 0o600 });
      return 0;
    },
  };
}

/** Data keys that are wrapped by the machine's one key. */
function dataKeys({ encrypt, decrypt }: LocalKey): KeyService {
  return {
    async generateDataKey(context) {
      const key = randomBytes(32);
      return { key, wrapped: encrypt(key, context) };
    },
    unwrapDataKey: async (wrapped, context) => decrypt(wrapped, context),
  };
}
