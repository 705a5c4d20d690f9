import { ApiError } from "../base/errors/apiError.ts";
import { nowSeconds } from "../base/store/ids.ts";
import { retryOnConflict } from "../base/store/retryOnConflict.ts";
import { table } from "../base/store/table.ts";
import type { Item } from "../base/store/tableClient.ts";
import type { Write } from "../base/store/writes.ts";
import { rollbackService } from "../environments/change/rollbackService.ts";
import { concluded } from "../environments/rules/conclusion.ts";
import { findChange, findPlan as findServicePlan, isOpen } from "../environments/store/changes.ts";
import { serviceMustBe } from "../environments/store/deployedServices.ts";
import { findManifest, findWholeEnvironment, manifestMustBe } from "../environments/store/environments.ts";
import { listVersions } from "../environments/store/environmentVersions.ts";
import {
  type PlannedDeploy,
  plannedDeploys,
  type RollbackOutcome,
  recordRollback,
} from "../environments/store/plannedDeploys.ts";
import { findPlan, planWrites, type StoredPlan } from "./records/plans.ts";
import { runningTasks } from "./rules/jobs.ts";
import {
  endRollback,
  isRollingBack,
  reasonToLeave,
  rollbackName,
  rollbackStatus,
  serviceRolledBack,
} from "./rules/rollback.ts";

type Deploy = Item<PlannedDeploy>;
/** What a step says; round, attempt and time are the rollback's. */
type Said = Pick<RollbackOutcome, "status"> & Partial<RollbackOutcome>;

/**
 * Goes on with the rollback of a plan once its tasks have ended: one service after the other, in reverse order of their
 * deployment. May be repeated, and done by two at once: what begins or ends a step is one write with the plan.
 * @returns whether nothing is left to do; otherwise the end of a task or of a change goes on with it
 */
export async function continueRollback(planId: string): Promise<boolean> {
  for (;;) {
    const next = await retryOnConflict(() => takeStep(planId));
    if (next !== "goOn") return next === "over";
  }
}

async function takeStep(planId: string): Promise<"goOn" | "wait" | "over"> {
  const plan = await findPlan(planId);
  if (plan === undefined || !isRollingBack(plan)) return "over";
  if (runningTasks(plan.jobs).length > 0) return "wait";
  const steps = (await plannedDeploys(planId)).map((deploy) => ({ deploy, status: rollbackStatus(plan, deploy) }));
  const [running] = steps.filter(({ status }) => status === "running");
  if (running !== undefined) return noteEnd(plan, running.deploy);
  const [next] = steps.filter(({ status }) => status === "todo");
  const statuses = steps.flatMap(({ status }) => status ?? []);
  if (next !== undefined) await begin(plan, next.deploy);
  else await table().write(...planWrites(plan, endRollback(plan, statuses)));
  return "goOn";
}

function noting(plan: StoredPlan, deploy: Deploy, said: Said, made?: readonly number[]): Write[] {
  const outcome = { round: plan.round, attempt: plan.rollback?.attempt ?? 0, reason: "", at: nowSeconds(), ...said };
  return [
    ...planWrites(plan, serviceRolledBack(plan, rollbackName(deploy), outcome)),
    recordRollback(deploy, outcome, made),
  ];
}

/** Takes the environment back to the version before the plan, unless something prevents it. */
async function begin(plan: StoredPlan, deploy: Deploy): Promise<void> {
  const { service, before } = deploy;
  const found = await look(deploy);
  if ("reason" in found) return table().write(...noting(plan, deploy, { status: "skipped", ...found }));
  try {
    const by = plan.rollback?.by ?? plan.lastCaller;
    await rollbackService(deploy, service, before, { replicas: false }, by, {
      planId: plan.planId,
      beside: ({ changeId }, from) => [...noting(plan, deploy, { status: "running", changeId, from }), ...found.mustBe],
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    await table().write(...noting(plan, deploy, { status: "failed", reason: error.description }));
  }
}

/** @returns why the service is left as it is, or what must still hold when it goes back */
async function look(deploy: Deploy): Promise<{ reason: string } | { mustBe: Write[] }> {
  const { projectKey, envKey, environmentId, service } = deploy;
  const whole = await findWholeEnvironment(projectKey, envKey, { consistent: true });
  if (whole?.environment.environmentId !== environmentId)
    return { reason: `the environment ${envKey} that the plan deployed to is not there any more` };
  const found = whole.services.find(({ name }) => name === service);
  const manifest = await findManifest(projectKey, envKey, service, { consistent: true });
  if (found === undefined || manifest === undefined)
    return { reason: `somebody has taken the service ${service} out of the environment ${envKey}; it stays so` };
  const versions = await listVersions({ projectKey, envKey, service }, { consistent: true });
  const reason = reasonToLeave({ deploy, versions, deployedBy: manifest.deployedBy });
  return reason === undefined
    ? { mustBe: [serviceMustBe(deploy, found), manifestMustBe(deploy, service, manifest)] }
    : { reason };
}

/** What became of the service is told by the change that took it back, and by what that noted of the service. */
async function noteEnd(plan: StoredPlan, deploy: Deploy): Promise<"goOn" | "wait"> {
  const { outcome, service, madeByRollback } = deploy;
  const changeId = outcome?.changeId ?? "";
  const [change, applied] = await Promise.all([findChange(changeId), findServicePlan(changeId, service)]);
  if (change !== undefined && isOpen(change)) return "wait";
  const unknown = change?.error || "what became of it is not known any more";
  if (applied?.result === undefined || outcome?.from === undefined) {
    await table().write(...noting(plan, deploy, { ...outcome, status: "failed", reason: unknown, at: nowSeconds() }));
    return "goOn";
  }
  const { event, error } = concluded([applied], [{ name: service, error: "" }]);
  const isDone = event === "finish" && (change?.status === "done" || applied.ready === true);
  const said = isDone ? { status: "done" as const } : { status: "failed" as const, reason: error || unknown };
  const made = [...madeByRollback, outcome.from + 1];
  await table().write(...noting(plan, deploy, { ...outcome, ...said, at: nowSeconds() }, made));
  return "goOn";
}
