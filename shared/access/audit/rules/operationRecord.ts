import type { OperationFunction } from "./functions.ts";

/** One record of the operation log (contract I 9.1). */
export interface OperationRecord {
  /** Display name of the caller at the time. */
  username: string;
  /** Empty for what belongs to no project. */
  projectKey: string;
  method: string;
  function: OperationFunction;
  scene: string;
  targets: string[];
  detail: string;
  requestBody: string;
  bodyType: string;
  status: number;
  /** Unix seconds, when the request began. */
  createdAt: number;
  /** Absent for what no request asked for, and in records that are older than it. */
  origin?: Origin;
}

/** Where a request came from (decisions 17.9); texts are empty where there is nothing to say. */
export interface Origin {
  /** Id and name, at the time, of the API token that was used; empty for a session. */
  tokenId: string;
  tokenName: string;
  /** What the answer's `X-Request-Id` says. */
  requestId: string;
  /** As the gateway saw it. */
  address: string;
  /** `User-Agent`, its first 200 characters. */
  agent: string;
}

/** The environment whose log holds the record; undefined where it is about none. */
export function environmentOf({ scene, targets }: OperationRecord): string | undefined {
  return scene === "environment" ? targets[0] : undefined;
}
