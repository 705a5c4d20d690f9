import { ApiError } from "../../base/errors/apiError.ts";
import type { WorkflowJob } from "../definition/definition.ts";
import { isJobType, type JobType } from "../definition/jobKinds.ts";
import { approvalPlanner } from "./approval/planner.ts";
import { customDeployPlanner } from "./custom-deploy/planner.ts";
import { freestylePlanner } from "./freestyle/planner.ts";
import { istioReleasePlanner } from "./istio-release/planner.ts";
import { istioRollbackPlanner } from "./istio-rollback/planner.ts";
import { jenkinsPlanner } from "./jenkins/planner.ts";
import { blueGreenDeployPlanner } from "./k8s-blue-green-deploy/planner.ts";
import { blueGreenReleasePlanner } from "./k8s-blue-green-release/planner.ts";
import { canaryDeployPlanner } from "./k8s-canary-deploy/planner.ts";
import { canaryReleasePlanner } from "./k8s-canary-release/planner.ts";
import { grayReleasePlanner } from "./k8s-gray-release/planner.ts";
import { grayRollbackPlanner } from "./k8s-gray-rollback/planner.ts";
import { patchPlanner } from "./k8s-resource-patch/planner.ts";
import { notificationPlanner } from "./notification/planner.ts";
import { offlinePlanner } from "./offline-service/planner.ts";
import type { JobPlanner } from "./planner.ts";
import { pluginPlanner } from "./plugin/planner.ts";
import { sqlPlanner } from "./sql/planner.ts";
import { callRulesPlanner } from "./update-env-istio-config/planner.ts";
import { workflowTriggerPlanner } from "./workflow-trigger/planner.ts";
import { buildPlanner } from "./zadig-build/planner.ts";
import { deployPlanner } from "./zadig-deploy/planner.ts";
import { distributePlanner } from "./zadig-distribute-image/planner.ts";
import { chartDeployPlanner } from "./zadig-helm-chart-deploy/planner.ts";
import { restartPlanner } from "./zadig-restart/planner.ts";
import { scanPlanner } from "./zadig-scanning/planner.ts";
import { testPlanner } from "./zadig-test/planner.ts";

/** How each kind of job is planned; the compiler wants every one. */
const planners: Readonly<Record<JobType, JobPlanner>> = {
  approval: approvalPlanner,
  notification: notificationPlanner,
  freestyle: freestylePlanner,
  plugin: pluginPlanner,
  "zadig-build": buildPlanner,
  "zadig-test": testPlanner,
  "zadig-scanning": scanPlanner,
  "workflow-trigger": workflowTriggerPlanner,
  "custom-deploy": customDeployPlanner,
  "k8s-resource-patch": patchPlanner,
  "offline-service": offlinePlanner,
  "zadig-restart": restartPlanner,
  "zadig-deploy": deployPlanner,
  "zadig-helm-deploy": deployPlanner,
  "zadig-helm-chart-deploy": chartDeployPlanner,
  "zadig-distribute-image": distributePlanner,
  "k8s-blue-green-deploy": blueGreenDeployPlanner,
  "k8s-blue-green-release": blueGreenReleasePlanner,
  "k8s-canary-deploy": canaryDeployPlanner,
  "k8s-canary-release": canaryReleasePlanner,
  "k8s-gray-release": grayReleasePlanner,
  "k8s-gray-rollback": grayRollbackPlanner,
  "istio-release": istioReleasePlanner,
  "istio-rollback": istioRollbackPlanner,
  "update-env-istio-config": callRulesPlanner,
  jenkins: jenkinsPlanner,
  sql: sqlPlanner,
};

/** Kinds that are stored and returned untouched: a start that reaches one is refused (decisions 19.9). */
const notRun: JobPlanner = {
  select: async (job) => ({ ...job.spec }),
  expand: async (job) => {
    throw cannotRun(job);
  },
};

/** A start that reaches a job of a kind that cannot run here. */
function cannotRun({ name, type }: Pick<WorkflowJob, "name" | "type">): ApiError {
  return new ApiError(
    6160,
    `job ${name}: jobs of type ${type} cannot be run here; leave it out, or use a freestyle job`,
  );
}

/** @throws ApiError 6160 for a kind that cannot run here */
export function requireRunnable(job: Pick<WorkflowJob, "name" | "type">): void {
  if (!isJobType(job.type)) throw cannotRun(job);
}

export function plannerOf(type: string): JobPlanner {
  return isJobType(type) ? planners[type] : notRun;
}
