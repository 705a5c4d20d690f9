import type { OperationRecord } from "../../../shared/store/operationLogs.ts";

/** A record of the operation log as clients know it (contract I 9.1). */
export function toOperationLog({ projectKey, requestBody, bodyType, createdAt, ...record }: OperationRecord) {
  return {
    ...record,
    project_key: projectKey,
    request_body: requestBody,
    body_type: bodyType,
    created_at: createdAt,
  };
}
