import type { WorkflowSource } from "../../../shared/workflows/saved/store/workflows.ts";
import { failingDeployment } from "../../harness/failingDeployments.ts";
import { passing } from "../../harness/passingApprovals.ts";
import { type JobKind, type ModelStage, stageName } from "./contractModel.ts";

export const workflowName = (number: number): string => `flow-${number}`;

/** A workflow whose jobs behave as the model says; `uid` decides everything. */
export function definitionOf(
  name: string,
  stages: readonly ModelStage[],
  concurrency_limit: number,
  uid: string,
): WorkflowSource & { name: string } {
  const native = { needed_approvers: 1, approve_users: [{ type: "user", user_id: uid }] };
  /** Fails at once. */
  const unknown = { type: "deploy", spec: failingDeployment };
  const jobOf = (kind: JobKind): object => {
    switch (kind) {
      case "gate":
        return { type: "approval", spec: passing };
      case "ask":
        return { type: "approval", spec: { type: "native", native_approval: native } };
      case "bad":
        return unknown;
      case "lenient":
        return { ...unknown, error_policy: { policy: "ignore_error" } };
      case "again":
        return { ...unknown, error_policy: { policy: "retry", maximum_retry: 1 } };
      case "checked":
        return {
          ...unknown,
          error_policy: { policy: "manual_check", approval_users: [{ type: "user", user_id: uid }] },
        };
    }
  };
  return {
    name,
    concurrency_limit,
    stages: stages.map(({ parallel, approval, jobs }, at) => ({
      ...{ name: stageName(at), parallel },
      ...(approval && { approval: { enabled: true, type: "native", native_approval: native } }),
      jobs: jobs.map((kind, number) => ({ name: `j${at}-${number}`, ...jobOf(kind) })),
    })),
  };
}
