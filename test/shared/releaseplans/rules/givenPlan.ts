import {
  defaultSettings,
  type Plan,
  type PlanApproval,
  type PlanJob,
} from "../../../../shared/releaseplans/rules/plan.ts";
import type { StatusCall } from "../../../../shared/releaseplans/rules/statusCall.ts";
import { isRefusal, type Refusal, type Step } from "../../../../shared/releaseplans/rules/step.ts";

export const kim = { uid: "kim", name: "Kim", account: "kim" };
export const lee = { uid: "lee", name: "Lee", account: "lee" };
export const now = 1_760_000_000;

/** A call of the plan's manager. */
export const byLee = { by: lee, isAdministrator: false, now };

export function givenApproval(changes: Partial<PlanApproval> = {}): PlanApproval {
  return {
    ...{ enabled: true, status: "", description: "", startTime: 0, endTime: 0, timeout: 60, neededApprovers: 1 },
    ...{ named: [{ type: "user", id: "kim", name: "Kim" }], approvers: [], instanceCode: "" },
    ...{ forbidSelfApproval: false, validForMinutes: 0 },
    ...changes,
  };
}

export function textJob(name: string, changes: Partial<PlanJob> = {}): PlanJob {
  return {
    ...{ id: `id-${name}`, name, type: "text", managerId: "", manager: "", dependsOn: [], status: "", lastStatus: "" },
    ...{ updated: false, executedBy: "", executedTime: 0, remark: { inline: "" }, spec: { inline: "" } },
    ...changes,
  };
}

export function workflowJob(name: string, changes: Partial<PlanJob> = {}, taskId?: number): PlanJob {
  const workflow = { id: "f00d", key: name, displayName: name, projectKey: "shop" };
  const task = taskId === undefined ? {} : { taskId, taskStatus: "prepare" };
  return { ...textJob(name, { type: "workflow", ...changes }), workflow: { ...workflow, ...task } };
}

export function givenPlan(changes: Partial<Plan> = {}): Plan {
  return {
    ...{ planId: "p", index: 1, edition: 1, round: 0, name: "may", manager: "Lee", managerId: "lee" },
    ...{ description: { inline: "" }, startTime: 0, endTime: 0, scheduleExecuteTime: 0 },
    ...{ createdBy: "Lee", createdAt: 1, updatedBy: "Lee", updatedAt: 1, jiraSprintAssociation: null },
    ...{ approval: null, settings: defaultSettings, notify: null, jobs: [textJob("announce")], status: "planning" },
    ...{ planningTime: 0, finishPlanningTime: 0, approvalTime: 0, executingTime: 0, successTime: 0 },
    ...{ finishPlanningCheckTime: 0, approveCheckTime: 0, executeCheckTime: 0, allDoneCheckTime: 0 },
    ...{ instanceCode: "c", hooks: null, checkFailedReason: "", callbackDescription: "" },
    ...{ editors: [], requester: "", lastCaller: lee, starting: null, scheduleRunTime: 0, rollback: null },
    ...changes,
  };
}

/** A status call of the plan's manager; Kim is the only approver. */
export function callFor(to: StatusCall["to"], changes: Partial<StatusCall> = {}): StatusCall {
  const people = [approver("kim")];
  return { ...byLee, to, newCode: "new", hooks: null, specs: new Map(), people, ...changes };
}

export function approver(uid: string) {
  return { userId: uid, userName: uid, decision: "", comment: "", decidedAt: 0 } as const;
}

export function planAfter(outcome: Step | Refusal | undefined): Plan {
  if (outcome === undefined) throw new Error("nothing was to be done");
  if (isRefusal(outcome)) throw new Error(`refused: ${outcome.refused}`);
  return outcome.plan;
}

export function sentenceOf(outcome: Step | Refusal | object): string {
  if ("refused" in outcome) return String(outcome.refused);
  throw new Error("was not refused");
}
