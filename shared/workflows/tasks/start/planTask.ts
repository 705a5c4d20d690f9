import { beginsWithVariable } from "../../../base/common/placeholders.ts";
import { ApiError } from "../../../base/errors/apiError.ts";
import { isVendorType, type VendorType, vendorTypes } from "../../../integrations/approvals/rules/vendorApproval.ts";
import { vendorFields } from "../../../integrations/approvals/rules/vendorFields.ts";
import { mapTokens } from "../../../integrations/notify/rules/mapTokens.ts";
import type { WorkflowJob, WorkflowStage } from "../../definition/definition.ts";
import { requireAskable } from "../../jobs/approval/vendorQuestion.ts";
import { approversOf, peopleOf } from "../../jobs/people.ts";
import type { ExpandedJob, PlanScope } from "../../jobs/planner.ts";
import { plannerOf } from "../../jobs/planners.ts";
import { staticVariables } from "../../jobs/variables/staticVariables.ts";
import { jobDisplayName, jobKey, jobTaskName } from "../../records/rules/jobName.ts";
import { renderEarly, type Variables, withServiceModule } from "../../records/rules/variables.ts";
import type {
  JobErrorPolicy,
  JobPlan,
  ManualExecPlan,
  StageApprovalPlan,
  StagePlan,
  TaskPlan,
} from "../../records/task.ts";

/** Minutes that a job may take when nothing else is said (contract W 8.7). */
const defaultJobMinutes = 600;

/**
 * Makes the plan of a task of a definition whose jobs are chosen: job tasks with their names, keys and rendered specs,
 * without skipped jobs and empty stages (contract W 2.4 steps 12 and 13).
 * @throws ApiError 6160 when nothing is left to run, or a job cannot run as it is chosen
 */
export async function planTask(scope: PlanScope): Promise<TaskPlan> {
  const { definition } = scope;
  const variables = new Map(staticVariables(scope));
  const chosen = definition.stages.flatMap(({ jobs }) => jobs).filter(({ skipped }) => skipped !== true);
  for (const job of chosen) await addVariables(job, scope, variables);
  const stages: StagePlan[] = [];
  for (const [index, stage] of definition.stages.entries()) {
    const planned = await planStage(stage, index, scope, variables);
    if (planned !== undefined) stages.push(planned);
  }
  if (stages.length === 0) throw new ApiError(6160, `no stage found in workflow task: ${whyNothing(chosen)}`);
  return {
    stages,
    params: renderEarly(definition.params, variables),
    notifyCtls: keptTokens(definition.notify_ctls, scope),
    lateVariables: lateOnes(variables),
  };
}

/** What is known of a task before its jobs are planned. */
export function outlineTask(scope: PlanScope): TaskPlan {
  const variables = new Map(staticVariables(scope));
  const { params, notify_ctls } = scope.definition;
  return { stages: [], params: renderEarly(params, variables), notifyCtls: keptTokens(notify_ctls, scope) };
}

function whyNothing(chosen: readonly WorkflowJob[]): string {
  if (chosen.length === 0) return "name at least one job of the workflow in inputs";
  const names = chosen.map(({ name }) => name).join(", ");
  return `nothing is chosen in ${names}; choose in the parameters of the job what it is done for`;
}

/** Variables that are made of others which are known later alone, as images that another job builds (contract W 6). */
function lateOnes(variables: Variables): [string, string][] {
  return [...variables]
    .filter(([, value]) => beginsWithVariable(value))
    .map(([path, value]) => [path, renderEarly(value, variables)]);
}

/**
 * Tokens of hooks are sealed with the task, and put back in memory when a message is sent; one that is
 * already a variable refers to a sealed value.
 */
function keptTokens(ctls: readonly unknown[], { keepSecret }: PlanScope): unknown[] {
  return ctls.map((ctl) => mapTokens(ctl, (token) => (beginsWithVariable(token) ? token : keepSecret(token))));
}

async function addVariables(job: WorkflowJob, scope: PlanScope, variables: Map<string, string>): Promise<void> {
  const own = await (await plannerOf(job.type)).variables?.(job, scope);
  for (const [key, value] of own ?? []) variables.set(`job.${job.name}.${key}`, value);
}

async function planStage(
  stage: WorkflowStage,
  index: number,
  scope: PlanScope,
  variables: Variables,
): Promise<StagePlan | undefined> {
  const jobs: JobPlan[] = [];
  for (const [at, job] of stage.jobs.entries()) {
    if (job.skipped === true) continue;
    const expanded = await (await plannerOf(job.type)).expand(job, scope);
    for (const [sub, one] of expanded.entries()) {
      jobs.push(await planJob(job, one, { stage: index, job: at, sub }, scope, variables));
    }
  }
  if (jobs.length === 0) return undefined;
  return {
    name: stage.name,
    parallel: stage.parallel === true,
    jobs,
    manualExec: await planManualExec(stage, scope),
    approval: await planApproval(stage, scope, variables),
  };
}

async function planJob(
  job: WorkflowJob,
  { parts, jobInfo, spec, run = {}, timeoutMinutes, serviceModule }: ExpandedJob,
  place: { stage: number; job: number; sub: number },
  scope: PlanScope,
  variables: Variables,
): Promise<JobPlan> {
  const placed = <T>(value: T): T =>
    serviceModule === undefined ? value : withServiceModule(value, serviceModule.service, serviceModule.module);
  return {
    name: jobTaskName(place, job.name),
    key: jobKey(job.name, parts),
    displayName: jobDisplayName(job.name, parts),
    originName: job.name,
    type: job.type,
    jobInfo: { job_name: job.name, ...jobInfo },
    spec: renderEarly(placed(spec), variables),
    run: renderEarly(placed(run), variables),
    errorPolicy: await planErrorPolicy(job, scope),
    executePolicy: executePolicyOf(job, variables),
    timeoutSeconds: (timeoutMinutes > 0 ? timeoutMinutes : defaultJobMinutes) * 60,
    notifyCtls: keptTokens(job.notify_ctls, scope),
  };
}

async function planErrorPolicy({ error_policy }: WorkflowJob, scope: PlanScope): Promise<JobErrorPolicy | null> {
  if (error_policy === null || error_policy === undefined) return null;
  const approvers =
    error_policy.policy === "manual_check" ? await peopleOf(error_policy.approval_users, scope.creator) : [];
  return {
    policy: error_policy.policy ?? "",
    maximumRetry: error_policy.maximum_retry ?? 0,
    approverIds: approvers.map(({ uid }) => uid),
    stated: error_policy,
  };
}

function executePolicyOf({ execute_policy }: WorkflowJob, variables: Variables): JobPlan["executePolicy"] {
  if (!execute_policy?.type) return null;
  const rules = execute_policy.rules.map(({ field, verb, value }) => ({
    field: field ?? "",
    verb: verb ?? "",
    value: value ?? "",
  }));
  return renderEarly({ type: execute_policy.type, matchRule: execute_policy.match_rule || "all", rules }, variables);
}

async function planManualExec({ manual_exec }: WorkflowStage, scope: PlanScope): Promise<ManualExecPlan | null> {
  if (manual_exec?.enabled !== true) return null;
  const executors = await peopleOf(manual_exec.manual_exec_users, scope.creator);
  return { executorIds: executors.map(({ uid }) => uid), stated: manual_exec };
}

async function planApproval(
  { name, approval }: WorkflowStage,
  scope: PlanScope,
  variables: Variables,
): Promise<StageApprovalPlan | null> {
  if (approval?.enabled !== true) return null;
  const type = approval.type || "native";
  if (isVendorType(type)) return planQuestion(name, type, approval, variables);
  if (type !== "native")
    throw new ApiError(6160, `approval of stage ${name}: its type is ${type}; use native or ${vendorTypes.join(", ")}`);
  const native = approval.native_approval;
  return {
    timeoutMinutes: native?.timeout ?? native?.Timeout ?? 0,
    type,
    description: approval.description ?? "",
    approval: await approversOf(native, scope.creator, `approval of stage ${name}`),
  };
}

/** People of a chat service decide: variables that are known later alone are replaced when the stage begins. */
function planQuestion(
  stage: string,
  type: VendorType,
  approval: NonNullable<WorkflowStage["approval"]>,
  variables: Variables,
): StageApprovalPlan {
  const stated = approval[vendorFields[type]] ?? {};
  const given = renderEarly(stated, variables);
  requireAskable(`approval of stage ${stage}`, type, given);
  return {
    ...{ timeoutMinutes: stated.timeout ?? 0, type, description: renderEarly(approval.description ?? "", variables) },
    approval: { neededApprovers: 0, approvers: [] },
    asks: { type, given },
  };
}
