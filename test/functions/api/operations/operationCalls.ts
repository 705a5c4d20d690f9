import type { Answer, Slipway } from "../../../harness/slipway.ts";
import type { OperationRecord } from "../../../security/operationRecord.ts";

export interface Listed {
  operation_logs: OperationRecord[];
  total: number;
}

export type Refused = { code: number; description: string };

/** One page of the log; `search` is the query as it stands. */
export function listOperations(
  slipway: Slipway,
  search: string,
  token?: string,
): Promise<Answer<Listed & Partial<Refused>>> {
  return slipway.call("GET", `/openapi/system/operation?${search}`, token === undefined ? {} : { token });
}

export function listEnvironment(
  slipway: Slipway,
  search: string,
  token?: string,
): Promise<Answer<Listed & Partial<Refused>>> {
  return slipway.call("GET", `/openapi/system/operation/env?${search}`, token === undefined ? {} : { token });
}
