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
}

/** The environment in whose log the record stands; undefined where it is about none. */
export function environmentOf({ scene, targets }: OperationRecord): string | undefined {
  return scene === "environment" ? targets[0] : undefined;
}
