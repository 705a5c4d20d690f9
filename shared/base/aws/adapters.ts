import type { Readable } from "node:stream";

/**
 * What Slipway asks of AWS beside the table: what it does with objects, keys, schedules, functions, state machines, the
 * event bus and connections of sockets, and no more. A Lambda function asks AWS by the SDK (`…InAws.ts`); a start on one machine provides adapters of
 * its own, and then the SDK of these services is never loaded. Payloads, inputs and outputs are JSON text.
 */
export interface Adapters {
  objects: ObjectStore;
  keys: KeyService;
  schedules: Schedules;
  functions: Functions;
  stateMachines: StateMachines;
  events: EventBus;
  sockets: Sockets;
}

export interface StoredObject {
  key: string;
  content: Uint8Array;
  contentType: string;
  contentEncoding?: "gzip";
}

export interface ObjectStore {
  /** Stores an object; one of the same key is replaced as a whole. */
  put(object: StoredObject): Promise<void>;
  /** The content as it was stored; undefined when there is none under the key. */
  open(key: string): Promise<Readable | undefined>;
  /** The first thousand objects below a prefix, in the order of their keys. */
  list(prefix: string): Promise<{ key: string; sizeBytes: number }[]>;
  /** Takes objects away, at most a thousand; one that does not exist is no error. */
  remove(keys: readonly string[]): Promise<void>;
  /** An address that lets its holder use one method on one object for so many seconds after `now`. */
  sign(method: "GET" | "PUT", key: string, seconds: number, now: Date): Promise<string>;
}

/** What a data key is bound to: it is unwrapped under the same pairs alone. */
export type EncryptionContext = Readonly<Record<string, string>>;

export interface KeyService {
  /** A fresh key of 256 bits, in the clear and wrapped. */
  generateDataKey(context: EncryptionContext): Promise<{ key: Uint8Array; wrapped: Uint8Array }>;
  /** @throws Error when the wrapped key was changed or belongs to another context */
  unwrapDataKey(wrapped: Uint8Array, context: EncryptionContext): Promise<Uint8Array>;
}

export interface TimedEvent {
  /** Up to 64 letters, digits, hyphens; making the same one again replaces it. */
  name: string;
  /** As EventBridge Scheduler writes it; `at(…)` is once, and gone afterwards. */
  expression: string;
  timeZone: string;
  /** The function that is invoked: its ARN in AWS, its name on one machine. */
  target: string;
  event: Readonly<Record<string, unknown>>;
  /** What was due while nothing could be invoked is made up for within this time. */
  longestDelaySeconds: number;
}

export type ScheduleState = "ENABLED" | "DISABLED";

export interface Schedules {
  put(timed: TimedEvent): Promise<void>;
  /** One that does not exist is no error. */
  remove(name: string): Promise<void>;
  /** Switches a schedule that exists on or off and leaves everything else of it. */
  setState(name: string, state: ScheduleState): Promise<void>;
}

export interface Functions {
  /** Runs a function and waits; `answer` is JSON, of a failed one what Lambda says of the error. */
  invoke(name: string, payload: string): Promise<{ failed: boolean; answer: string }>;
  /** Accepts an event before its function runs; a function that fails is run again twice. */
  invokeLater(name: string, payload: string): Promise<void>;
}

/** A state machine is named by its ARN in AWS, by its name on one machine. */
export interface StateMachines {
  /** A name is used once in a machine; starting it again does nothing. */
  start(machine: string, name: string, input: string): Promise<void>;
  /** As Step Functions names it; undefined when there is no such execution. */
  status(machine: string, name: string): Promise<string | undefined>;
  /** Names of the executions that run, as they were a moment ago; of the newest ten thousand. */
  running(machine: string): Promise<string[]>;
  /** Does nothing when the execution has ended or never began. */
  stop(machine: string, name: string, cause: string): Promise<void>;
  /** @returns false when no execution waits on the token @throws Error for what cannot be a token */
  settle(taskToken: string, output: string): Promise<boolean>;
}

export interface BusEvent {
  detailType: string;
  detail: Readonly<Record<string, unknown>>;
  /** Unix seconds. */
  time: number;
}

export interface EventBus {
  /** @param events at most ten @returns how many of them were not published */
  publish(events: readonly BusEvent[]): Promise<number>;
}

/** Connections of the change socket, by their ids. */
export interface Sockets {
  /** Sends a text of at most 32 KB. @returns false when the client is gone */
  post(connectionId: string, text: string): Promise<boolean>;
  /** Closes a connection; one that is closed is no error. */
  close(connectionId: string): Promise<void>;
  /**
   * Makes a connection follow the services of an environment, or none, as long as it is open. @returns whether that is
   * done: a function of AWS does not run long enough to watch a cluster
   */
  followServices(
    connectionId: string,
    followed: { tokenHash: string; environment: { projectKey: string; envKey: string } } | undefined,
  ): Promise<boolean>;
}

let provided: Adapters | undefined;

/**
 * Makes this process use these adapters instead of AWS. They stay when they are closed, and then refuse: work that outlives
 * them must not reach AWS.
 */
export function provideAdapters(adapters: Adapters | undefined): void {
  provided = adapters;
}

/** The adapters of this process; undefined where it asks AWS itself. */
export function adapters(): Adapters | undefined {
  return provided;
}
