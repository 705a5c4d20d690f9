import { plannedDeploys } from "../../../shared/environments/store/plannedDeploys.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { actOnJob, type JobVerb } from "../../../shared/releaseplans/actOnJob.ts";
import { callStatus } from "../../../shared/releaseplans/callStatus.ts";
import { changePlan } from "../../../shared/releaseplans/changePlan.ts";
import { requirePlan } from "../../../shared/releaseplans/records/plans.ts";
import { decide } from "../../../shared/releaseplans/rules/approval.ts";
import type { Call } from "../../../shared/releaseplans/rules/jobs.ts";
import { callRollback } from "../../../shared/releaseplans/rules/rollback.ts";
import type { Step } from "../../../shared/releaseplans/rules/step.ts";
import type { planCallRoutes } from "./planCallRoutes.ts";
import { callOf, requireOverride } from "./rights.ts";

type Calls = Handlers<typeof planCallRoutes>;

const move: Calls["moveReleasePlan"] = async ({ params, caller }) => {
  await requirePlan(params.id);
  await callStatus(params.id, params.status, callOf(caller));
  return success;
};

const approve: Calls["approveReleasePlan"] = async ({ params, body, caller }) => {
  await requirePlan(params.id);
  await approvePlan(params.id, body, callOf(caller));
  return success;
};

function acting(verb: JobVerb): Calls["executeReleaseJob"] {
  return async ({ params, body, caller, overrideReason }) => {
    const plan = await requirePlan(params.id);
    if (overrideReason !== undefined) await requireOverride(caller, plan, body.id);
    const call = { ...callOf(caller), jobId: body.id, type: body.type, overrideReason };
    await actOnJob(params.id, verb, call, body.spec?.remark ?? "");
    return success;
  };
}
const [execute, skip, retry] = [acting("execute"), acting("skip"), acting("retry")];

const rollBack: Calls["rollBackReleasePlan"] = async ({ params, caller }) => {
  await requirePlan(params.id);
  await rollBackPlan(params.id, callOf(caller));
  return success;
};

export const planCallHandlers: Calls = {
  moveConsoleReleasePlan: move,
  moveReleasePlan: move,
  approveConsoleReleasePlan: approve,
  approveReleasePlan: approve,
  executeConsoleReleaseJob: execute,
  executeReleaseJob: execute,
  skipConsoleReleaseJob: skip,
  skipReleaseJob: skip,
  retryConsoleReleaseJob: retry,
  retryReleaseJob: retry,
  rollBackConsoleReleasePlan: rollBack,
  rollBackReleasePlan: rollBack,
};

/** What one approver says (contract D 2.10). @throws ApiError 400, 403, 404, 409 */
function approvePlan(planId: string, said: { approve: boolean; comment: string }, call: Call): Promise<Step> {
  return changePlan(planId, (plan) => decide(plan, said, call));
}

/** Begins to take back what a plan deployed; its follower goes on with it. @throws ApiError 400, 403, 404, 409 */
function rollBackPlan(planId: string, call: Call): Promise<Step> {
  return changePlan(planId, async (plan) => callRollback(plan, call, await plannedDeploys(planId)));
}
