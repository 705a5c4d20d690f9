import type * as z from "zod";
import type { Caller } from "../../../shared/http/exchange.ts";
import { shownObjects } from "../../../shared/http/preview.ts";
import { taskActor } from "../../../shared/http/taskActor.ts";
import { shownFreeze } from "../../../shared/projects/freezes/words.ts";
import type { JobAhead } from "../../../shared/releaseplans/preview/jobAhead.ts";
import { type PlanAhead, previewPlan } from "../../../shared/releaseplans/preview/previewPlan.ts";
import { awaited } from "../../../shared/releaseplans/rules/dependencies.ts";
import type { Plan } from "../../../shared/releaseplans/rules/plan.ts";
import type { shownPreview } from "./previewSchemas.ts";
import { environmentRefusal, workflowRefusal } from "./rights.ts";

type ShownPreview = z.input<typeof shownPreview>;
type ShownJob = ShownPreview["jobs"][number];

/** What a plan would do, as far as the caller may see it. */
export async function planPreview(plan: Plan, caller: Caller): Promise<ShownPreview> {
  const { jobs, freezes, approval } = await previewPlan(plan, {
    actor: taskActor(caller),
    workflowRefusal: (workflow) => workflowRefusal(caller, "get_workflow", workflow),
    environmentRefusal: (environment) => environmentRefusal(caller, environment),
  });
  const show = shownObjects();
  return {
    ...{ id: plan.planId, name: plan.name, status: plan.status, version: plan.edition },
    ...{ start_time: plan.startTime, end_time: plan.endTime, schedule_execute_time: plan.scheduleExecuteTime },
    ...(approval !== undefined && { approval: shownApproval(plan, approval) }),
    freezes: freezes.map((one) => ({
      ...shownFreeze(one),
      jobs: one.jobs,
      meets_schedule: one.start <= plan.scheduleExecuteTime && plan.scheduleExecuteTime < one.end,
    })),
    jobs: jobs.map((job) => shownJob(plan, job, show)),
  };
}

function shownApproval({ approval }: Plan, { waiting, approved }: NonNullable<PlanAhead["approval"]>) {
  const needed = approval?.neededApprovers ?? 0;
  return {
    ...{ type: "native", status: approval?.status ?? "", needed_approvers: needed, approved },
    still_needed: approval?.status === "" ? Math.max(needed - approved, 0) : 0,
    waiting_for: waiting.map(({ userId, userName }) => ({ user_id: userId, user_name: userName })),
  };
}

/** A caller who may not read its workflow sees only which workflow it is. */
function shownJob(plan: Plan, ahead: JobAhead, show: ReturnType<typeof shownObjects>): ShownJob {
  const { job, hidden, changed, freezes, deploys, notes, error } = ahead;
  const { id, name, type, status, workflow } = job;
  const shown = {
    ...{ id, name, type, status, waits_for: awaited(job, plan.jobs) },
    ...(workflow && {
      workflow: { name: workflow.key, display_name: workflow.displayName, project: workflow.projectKey },
    }),
  };
  if (hidden) return shown;
  return {
    ...shown,
    ...{ changed, freezes: freezes.map(shownFreeze), notes },
    ...(error !== undefined && { error }),
    deploys: deploys.map(({ projectKey, envKey, production, jobName, hidden: reason, services }) => ({
      ...{ project_key: projectKey, env_name: envKey, production, job_name: jobName },
      ...(reason !== undefined && { hidden: `differences are not shown: ${reason}` }),
      services: services.map((service) => ({
        ...{ service_name: service.name, action: service.action, notes: service.notes },
        modules: service.modules.map(({ name: module, now, next }) => ({ name: module, now, next })),
        differences: show(service.objects),
        ...(service.error !== undefined && { error: service.error }),
      })),
    })),
  };
}
