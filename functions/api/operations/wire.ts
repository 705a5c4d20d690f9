import type { OperationRecord } from "../../../shared/access/audit/rules/operationRecord.ts";
import type { OperationPage } from "../../../shared/access/audit/store/unindexed.ts";

export function toOperationLogs({ records, total }: OperationPage) {
  return { total, operation_logs: records.map(toOperationLog) };
}

/** A record of the operation log as clients know it (contract I 9.1). */
export function toOperationLog({ projectKey, requestBody, bodyType, createdAt, origin, ...record }: OperationRecord) {
  return {
    ...record,
    project_key: projectKey,
    request_body: requestBody,
    body_type: bodyType,
    created_at: createdAt,
    token_id: origin?.tokenId ?? "",
    token_name: origin?.tokenName ?? "",
    request_id: origin?.requestId ?? "",
    address: origin?.address ?? "",
    agent: origin?.agent ?? "",
  };
}
