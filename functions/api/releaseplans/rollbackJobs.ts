import type * as z from "zod";
import { mapBounded } from "../../../shared/base/common/mapBounded.ts";
import { type PlannedDeploy, plannedDeploys } from "../../../shared/environments/store/plannedDeploys.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import type { Plan } from "../../../shared/releaseplans/rules/plan.ts";
import { rollbackName, rollbackStatus } from "../../../shared/releaseplans/rules/rollback.ts";
import type { PlanJobStatus } from "../../../shared/releaseplans/rules/status.ts";
import type { shownJob } from "./planSchemas.ts";
import { environmentRefusal } from "./rights.ts";

type ShownJob = z.input<typeof shownJob>;
const atOnce = 4;

/**
 * The rollback of a plan, one job for each service in the order in which they go back; none before it is rolled back. Who
 * may not read an environment sees only that something goes back.
 */
export async function rollbackJobs(plan: Plan, caller: Caller): Promise<ShownJob[]> {
  if (!plan.rollback) return [];
  const deploys = await plannedDeploys(plan.planId, { consistent: false });
  const jobs = await mapBounded(deploys, atOnce, async (deploy) => {
    const status = rollbackStatus(plan, deploy);
    return status === undefined ? [] : [await jobOf(plan, deploy, status, caller)];
  });
  return jobs.flat();
}

async function jobOf(plan: Plan, deploy: PlannedDeploy, status: PlanJobStatus, caller: Caller): Promise<ShownJob> {
  const { id, projectKey, envKey, production, service, before } = deploy;
  const isHidden = (await environmentRefusal(caller, deploy)) !== undefined;
  const outcome = status === "todo" ? undefined : deploy.outcome;
  const spec = {
    ...{ project_key: projectKey, env_name: envKey, production, service_name: service },
    ...{ from_version: outcome?.from ?? 0, to_version: before, reason: outcome?.reason ?? "" },
  };
  return {
    ...{ id, name: isHidden ? "rollback" : rollbackName(deploy), type: "rollback", spec: isHidden ? {} : spec },
    ...{ manager: "", manager_id: "", depends_on: [], status, last_status: "", updated: false },
    executed_by: outcome === undefined ? "" : (plan.rollback?.by.name ?? ""),
    executed_time: outcome?.at ?? 0,
  };
}
