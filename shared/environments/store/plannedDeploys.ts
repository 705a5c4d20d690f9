import { randomUUID } from "node:crypto";
import { mustHaveVersion } from "../../base/store/conditions.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { create, replace, update, type Write } from "../../base/store/writes.ts";
import type { EnvironmentRecord } from "./environments.ts";
import { nextVersion } from "./environmentVersions.ts";

/** The task of a release plan that deploys. */
export interface PlanTask {
  planId: string;
  workflowKey: string;
  taskId: number;
}

/** What became of a service that a plan deployed when the plan was rolled back. */
export interface RollbackOutcome {
  /** Of the plan, and of its rollbacks in that round: an older one says nothing of the rollback under way. */
  round: number;
  attempt: number;
  status: "running" | "done" | "failed" | "skipped";
  /** Why it failed or was left as it is; empty otherwise. */
  reason: string;
  /** The change of the environment that takes it back, and the version that it left. */
  changeId?: string;
  from?: number;
  /** Unix seconds. */
  at: number;
}

/** A service of an environment that tasks of a release plan changed. */
export interface PlannedDeploy {
  /** uuid; of the job that shows its rollback. */
  id: string;
  planId: string;
  projectKey: string;
  envKey: string;
  environmentId: string;
  production: boolean;
  service: string;
  /** The plan brought it into the environment. */
  isNew: boolean;
  /** Its version before the first change by the plan; 0: it had none. */
  before: number;
  /** What its manifest may name as having deployed it last while only the plan changed it. */
  deployers: string[];
  /** Tasks of the plan that deployed it. */
  tasks: Pick<PlanTask, "workflowKey" | "taskId">[];
  /** Versions that rollbacks of the plan made of it. */
  madeByRollback: number[];
  /** Unix milliseconds of the first change. */
  firstAt: number;
  outcome?: RollbackOutcome;
}

/** Longer than anybody goes back; nothing else takes the records away. */
const keptSeconds = 400 * 24 * 3600;

const keyOf = ({
  planId,
  projectKey,
  envKey,
  service,
}: Pick<PlannedDeploy, "planId" | "projectKey" | "envKey" | "service">) =>
  keys.releasePlanDeploy(planId, projectKey, envKey, service);

/**
 * Notes for a plan, before its task touches the cluster, what it changes and which version is there. May be repeated.
 * A service that was taken back since starts from scratch.
 * @param standing what is known of the service: whether it is in the environment, and who deployed it last
 * @param tryName of the job
 */
export async function recordDeploying(
  task: PlanTask,
  environment: Pick<EnvironmentRecord, "projectKey" | "envKey" | "environmentId" | "production">,
  service: string,
  standing: { isNew: boolean; deployedBy?: string | undefined },
  tryName: string,
): Promise<void> {
  const { projectKey, envKey, environmentId, production } = environment;
  const { planId, workflowKey, taskId } = task;
  const key = keys.releasePlanDeploy(planId, projectKey, envKey, service);
  await retryOnConflict(async () => {
    const found = await table().get<PlannedDeploy>(key);
    const goesOn = found !== undefined && found.outcome?.status !== "done" && found.environmentId === environmentId;
    if (goesOn && found.deployers.includes(tryName)) return;
    const ttl = nowSeconds() + keptSeconds;
    if (goesOn) {
      const known = found.tasks.some((one) => one.workflowKey === workflowKey && one.taskId === taskId);
      const tasks = known ? found.tasks : [...found.tasks, { workflowKey, taskId }];
      const set = { deployers: [...found.deployers, tryName], tasks, ttl };
      return table().write(update(key, { set }, mustHaveVersion(found.version)));
    }
    const { isNew, deployedBy } = standing;
    const deploy: PlannedDeploy = {
      ...{ id: randomUUID(), planId, projectKey, envKey, environmentId, production, service, isNew },
      before: isNew ? 0 : (await nextVersion({ projectKey, envKey, service })) - 1,
      deployers: deployedBy === undefined ? [tryName] : [deployedBy, tryName],
      ...{ tasks: [{ workflowKey, taskId }], madeByRollback: [], firstAt: Date.now() },
    };
    const item = { ...deploy, ...key, type: "release-plan-deploy", ttl };
    await table().write(found === undefined ? create(item) : replace(item, found.version));
  });
}

/** Everything that tasks of a plan changed, the last that was started first: the order in which it goes back. */
export async function plannedDeploys(
  planId: string,
  options: { consistent?: boolean } = {},
): Promise<Item<PlannedDeploy>[]> {
  const { pk } = keys.releasePlan(planId);
  const found = await table().query<PlannedDeploy>({ pk, prefix: "deploy#", ...options });
  return found.sort((a, b) => b.firstAt - a.firstAt || (a.service < b.service ? 1 : -1));
}

/** Notes what became of it; fails when it is no longer what was read. */
export function recordRollback(
  deploy: Item<PlannedDeploy>,
  outcome: RollbackOutcome,
  madeByRollback: readonly number[] = deploy.madeByRollback,
): Write {
  return update(keyOf(deploy), { set: { outcome, madeByRollback } }, mustHaveVersion(deploy.version));
}
