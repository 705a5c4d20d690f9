import { readStoredText } from "../base/aws/objects/objectStore.ts";
import { mapBounded } from "../base/common/mapBounded.ts";
import { jobSpec } from "./jobSpec.ts";
import { planEvent } from "./records/planDeliveries.ts";
import type { Plan } from "./rules/plan.ts";

const atOnce = 4;

/**
 * The body in which other systems are told of a plan. Times are Unix seconds, 0 before.
 * @param eventName what has happened
 * @param alert the sentence of an alert
 */
export async function planPayload(plan: Plan, eventName: string, alert?: string): Promise<object> {
  const jobs = await mapBounded(plan.jobs, atOnce, async (job) => ({
    ...{ id: job.id, name: job.name, manager: job.manager, manager_id: job.managerId, type: job.type },
    spec: await jobSpec(job, false),
    ...{ status: job.status, executed_by: job.executedBy, executed_time: job.executedTime },
  }));
  return {
    ...{ object_kind: "release_plan", event: planEvent, workflow: null },
    release_plan: {
      ...{ id: plan.planId, index: plan.index, event_name: eventName, name: plan.name },
      ...(alert !== undefined && { alert }),
      ...{ manager: plan.manager, manager_id: plan.managerId, start_time: plan.startTime, end_time: plan.endTime },
      ...{ schedule_execute_time: plan.scheduleExecuteTime, description: await readStoredText(plan.description) },
      ...{ created_by: plan.createdBy, create_time: plan.createdAt },
      ...{ updated_by: plan.updatedBy, update_time: plan.updatedAt },
      ...{ instance_code: plan.instanceCode, jobs, status: plan.status },
      ...{ planning_time: plan.planningTime, approval_time: plan.approvalTime },
      ...{ executing_time: plan.executingTime, success_time: plan.successTime },
    },
  };
}
