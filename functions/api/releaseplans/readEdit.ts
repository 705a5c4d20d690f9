import type { SystemAction } from "../../../shared/access/identity/rules/actions.ts";
import { storeText } from "../../../shared/base/aws/objects/objectStore.ts";
import { type ApiError, badRequest } from "../../../shared/base/errors/apiError.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import type { Edit } from "../../../shared/releaseplans/rules/edit.ts";
import type { Plan, PlanJob } from "../../../shared/releaseplans/rules/plan.ts";
import type { LogVerb } from "../../../shared/releaseplans/rules/step.ts";
import { readApproval } from "./approvals/readApproval.ts";
import type { EditInput, EditVerb } from "./planSchemas.ts";
import { readJob, requireDependencies } from "./readJobs.ts";
import { readNotifyCtls } from "./readNotifyCtls.ts";
import { managerById, readSettings, readTimes } from "./readPlan.ts";

const mostJobs = 100;
const subtasks = "edit_release_plan_subtasks";

/** Which right an edit needs; a verb that is not listed edits metadata. */
const rights: Partial<Readonly<Record<EditVerb, SystemAction>>> = {
  ...{ create_release_job: subtasks, update_release_job: subtasks, delete_release_job: subtasks },
  reorder_release_job: subtasks,
  ...{ update_approval: "edit_release_plan_approval", delete_approval: "edit_release_plan_approval" },
};

export function rightFor(verb: EditVerb): SystemAction {
  return rights[verb] ?? "edit_release_plan_metadata";
}

/** What one edit makes of a draft (contract D 2.9). @throws ApiError 400, 403, 6542, 6545 */
export async function readEdit(plan: Plan, input: EditInput, caller: Caller): Promise<Edit> {
  switch (input.verb) {
    case "update_name":
      return metadata("name", { name: input.spec.name }, plan.name, input.spec.name);
    case "update_description": {
      const description = await storeText(input.spec.description);
      return { content: { description }, entry: entry("update", "description", "description", "changed") };
    }
    case "update_time_range":
      return times(plan, { ...asSent(plan), ...input.spec });
    case "update_schedule_execute_time": {
      const { start_time, end_time, schedule_execute_time } = input.spec;
      const sent = asSent(plan);
      const window = { start_time: start_time ?? sent.start_time, end_time: end_time ?? sent.end_time };
      return times(plan, { ...window, schedule_execute_time });
    }
    case "update_manager": {
      const manager = await managerById(input.spec.manager_id, input.spec.manager);
      return metadata("manager", manager, plan.manager, manager.manager);
    }
    case "update_jira_sprint": {
      const jiraSprintAssociation = input.spec.jira_sprint_association ?? null;
      return metadata("jira_sprint", { jiraSprintAssociation }, undefined, undefined);
    }
    case "update_settings": {
      const settings = readSettings(input.spec);
      const of = { before: plan.settings, after: settings };
      return { content: { settings }, entry: { ...entry("update", "settings", "settings", "changed"), ...of } };
    }
    case "update_notify": {
      const notify = await readNotifyCtls(plan.planId, input.spec.notify_ctls, plan.notify ?? null, "spec.notify_ctls");
      return metadata("notify_ctls", { notify }, undefined, undefined);
    }
    case "update_approval": {
      const approval = await readApproval(input.spec.approval);
      return { content: { approval }, entry: entry("update", "approval", plan.name, "changed") };
    }
    case "delete_approval":
      return { content: { approval: null }, entry: entry("delete", "approval", plan.name, "deleted") };
    default:
      return jobEdit(plan, input, caller);
  }
}

type JobEdit = Extract<
  EditInput,
  { verb: "create_release_job" | "update_release_job" | "delete_release_job" | "reorder_release_job" }
>;

async function jobEdit(plan: Plan, input: JobEdit, caller: Caller): Promise<Edit> {
  switch (input.verb) {
    case "create_release_job": {
      if (plan.jobs.length >= mostJobs) throw refused("", `the plan has ${mostJobs} jobs already`);
      const job = await readJob(plan.planId, input.spec, caller, "spec");
      return withJobs([...plan.jobs, job], entry("create", "release_job", job.name, "added"));
    }
    case "update_release_job": {
      const before = requireJob(plan, input.spec.id, "id");
      if (before.type !== input.spec.type)
        throw refused("type", `of job ${before.name} is ${before.type} and stays so`);
      const read = await readJob(plan.planId, input.spec, caller, "spec");
      const { id, status, lastStatus, updated, executedBy, executedTime } = before;
      const kept = { id, status, lastStatus, updated, executedBy, executedTime };
      const after = { ...read, ...kept };
      const isSame = JSON.stringify(after) === JSON.stringify({ ...before, ...kept });
      const jobs = plan.jobs.map((job) =>
        job.id === id ? { ...after, updated: !isSame || updated } : renamed(job, before.name, after.name),
      );
      return withJobs(jobs, entry("update", "release_job", after.name, "changed"));
    }
    case "delete_release_job": {
      const gone = requireJob(plan, input.spec.id, "id");
      const jobs = plan.jobs.filter((job) => job !== gone);
      return withJobs(jobs, entry("delete", "release_job", gone.name, "deleted"));
    }
    case "reorder_release_job": {
      const ids = input.spec.job_ids;
      if (new Set(ids).size < ids.length) throw refused("job_ids", "names a job twice");
      const jobs = ids.map((id, at) => requireJob(plan, id, `job_ids[${at}]`));
      return withJobs(jobs, entry("update", "release_job", "order", "reordered"));
    }
  }
}

function withJobs(jobs: readonly PlanJob[], logged: Edit["entry"]): Edit {
  requireDependencies(jobs, () => "spec.depends_on");
  return { content: { jobs }, entry: logged };
}

/** A job that depends on another follows its name. */
function renamed(job: PlanJob, from: string, to: string): PlanJob {
  if (from === to || !job.dependsOn.includes(from)) return job;
  return { ...job, dependsOn: job.dependsOn.map((name) => (name === from ? to : name)) };
}

function requireJob(plan: Plan, id: string, field: string): PlanJob {
  const job = plan.jobs.find((one) => one.id === id);
  if (job === undefined) throw refused(field, `job ${id} is not in the plan ${plan.name}`);
  return job;
}

function asSent({ startTime, endTime, scheduleExecuteTime }: Plan) {
  return { start_time: startTime, end_time: endTime, schedule_execute_time: scheduleExecuteTime };
}

function times(plan: Plan, sent: ReturnType<typeof asSent>): Edit {
  return metadata("times", readTimes(sent), asSent(plan), sent);
}

function metadata(targetName: string, content: Edit["content"], before: unknown, after: unknown): Edit {
  const logged = entry("update", "metadata", targetName, "changed");
  return { content, entry: before === undefined ? logged : { ...logged, before, after } };
}

function entry(
  verb: LogVerb,
  targetType: Edit["entry"]["targetType"],
  targetName: string,
  detail: string,
): Edit["entry"] {
  return { verb, targetType, targetName, detail };
}

function refused(field: string, problem: string): ApiError {
  return badRequest([{ in: "body", path: field === "" ? "spec" : `spec.${field}`, problem }]);
}
