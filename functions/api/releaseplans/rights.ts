import type { ProjectAction, SystemAction } from "../../../shared/access/identity/rules/actions.ts";
import { type Action, refusal, type Scope } from "../../../shared/access/identity/rules/permission.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import type { EnvironmentName } from "../../../shared/environments/requireEnvironment.ts";
import { callerIn } from "../../../shared/http/callerIn.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { taskActor } from "../../../shared/http/taskActor.ts";
import { mayOverride, overrideRefused } from "../../../shared/projects/freezes/words.ts";
import type { Call } from "../../../shared/releaseplans/rules/jobs.ts";
import type { Plan } from "../../../shared/releaseplans/rules/plan.ts";

/** @throws ApiError 403 for a token that is limited to projects: a plan belongs to none */
export function callOf(caller: Caller): Call {
  const { limits, systemAdmin } = caller.grants;
  if (limits?.projects !== undefined)
    throw new ApiError(403, `this token is limited to ${limits.projects.join(", ") || "no project"}`);
  return { by: taskActor(caller), isAdministrator: systemAdmin, now: nowSeconds() };
}

/** @throws ApiError 403 naming the verb that is missing */
export function requireVerbs(caller: Caller, verbs: readonly SystemAction[]): void {
  for (const verb of verbs) {
    const refused = verbRefusal(caller, verb);
    if (refused !== undefined) throw new ApiError(403, refused);
  }
}

/** @returns why the caller may not change what the verb is for */
export function verbRefusal(caller: Caller, verb: SystemAction): string | undefined {
  const action: Action = { permission: { kind: "systemVerb", verb }, mutates: true };
  return refusal(action, caller, {});
}

/** A full replacement is the manager's too (contract I 13.6). @throws ApiError 403 */
export function requireReplacing(caller: Caller, plan: Plan): void {
  const { by } = callOf(caller);
  if (plan.managerId === by.uid) return;
  requireVerbs(caller, ["edit_release_plan_metadata", "edit_release_plan_approval", "edit_release_plan_subtasks"]);
}

/** Freezes are overridden in the project of the job's workflow, or everywhere. @throws ApiError 403 naming that project */
export async function requireOverride(caller: Caller, plan: Plan, jobId: string): Promise<void> {
  const projectKey = plan.jobs.find(({ id }) => id === jobId)?.workflow?.projectKey ?? "";
  if (mayOverride(caller.grants, projectKey)) return;
  if (!mayOverride((await callerIn(caller, projectKey)).grants, projectKey)) throw overrideRefused(projectKey);
}

/** @returns why the caller may not do it with a workflow; a plan names workflows of any project */
export async function workflowRefusal(
  caller: Caller,
  verb: Extract<ProjectAction, "run_workflow" | "get_workflow">,
  { projectKey, key }: { projectKey: string; key: string },
): Promise<string | undefined> {
  const permission = { kind: "verb", verbs: [verb], collaboration: "workflow" } as const;
  return refusalThere(caller, { permission, mutates: verb === "run_workflow" }, { projectKey, workflow: key });
}

/** @returns why the caller may not look at an environment */
export async function environmentRefusal(
  caller: Caller,
  { projectKey, envKey, production }: EnvironmentName,
): Promise<string | undefined> {
  const verb = production ? "get_production_environment" : "get_environment";
  const permission = { kind: "verb", verbs: [verb], collaboration: "environment" } as const;
  return refusalThere(caller, { permission, mutates: false }, { projectKey, environment: envKey });
}

/** A decision in a project that the request does not name. */
async function refusalThere(
  caller: Caller,
  action: Action,
  scope: Scope & { projectKey: string },
): Promise<string | undefined> {
  if (caller.grants.systemAdmin && caller.grants.limits === undefined) return undefined;
  return refusal(action, await callerIn(caller, scope.projectKey), scope);
}
