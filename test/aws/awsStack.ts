import { existsSync, readFileSync } from "node:fs";

/** A stack that runs somewhere, as the program that started it tells in one line of JSON. */
export interface AwsStack {
  /** Of the API, stage included. */
  address: string;
  /** Of the WebSocket API, stage included. */
  websocket: string;
  /** Endpoint of all AWS services. */
  services: string;
  /** File that holds the bootstrap secret. */
  bootstrapSecret: string;
  /** Logs in JSON lines. */
  calls: string;
  invocations: string;
}

/** A call of an AWS service that a role made; `rejected` instead of `allowed` where DynamoDB refused the request. */
export interface AwsCall {
  caller: string;
  action: string;
  resource?: string;
  allowed?: boolean;
  rejected?: string;
}

export interface Invocation {
  function: string;
  error?: unknown;
}

/** The stack of SLIPWAY_AWS_STACK; undefined when none runs. */
export function awsStack(): AwsStack | undefined {
  const text = process.env.SLIPWAY_AWS_STACK;
  return text === undefined || text === "" ? undefined : (JSON.parse(text) as AwsStack);
}

export function linesOf<T>(file: string): T[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as T);
}
