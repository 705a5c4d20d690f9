import { isJobType, type JobType } from "../definition/jobKinds.ts";
import { approvalRunner } from "./approval/runner.ts";
import { customDeployRunner } from "./custom-deploy/runner.ts";
import { freestyleRunner } from "./freestyle/runner.ts";
import { istioReleaseRunner } from "./istio-release/runner.ts";
import { jenkinsRunner } from "./jenkins/runner.ts";
import { grayReleaseRunner } from "./k8s-gray-release/runner.ts";
import { patchRunner } from "./k8s-resource-patch/runner.ts";
import { notificationRunner } from "./notification/runner.ts";
import { offlineRunner } from "./offline-service/runner.ts";
import { pluginRunner } from "./plugin/runner.ts";
import { rolloutDeployRunner } from "./rollout/deployRunner.ts";
import { rolloutReleaseRunner } from "./rollout/releaseRunner.ts";
import { rollbackRunner } from "./rollout/rollbackRunner.ts";
import { failed, immediate, type JobRunner } from "./runner.ts";
import { sqlRunner } from "./sql/runner.ts";
import { callRulesRunner } from "./update-env-istio-config/runner.ts";
import { workflowTriggerRunner } from "./workflow-trigger/runner.ts";
import { buildRunner } from "./zadig-build/runner.ts";
import { deployRunner } from "./zadig-deploy/runner.ts";
import { distributeRunner } from "./zadig-distribute-image/runner.ts";
import { chartDeployRunner } from "./zadig-helm-chart-deploy/runner.ts";
import { restartRunner } from "./zadig-restart/runner.ts";
import { scanRunner } from "./zadig-scanning/runner.ts";
import { testRunner } from "./zadig-test/runner.ts";

/** How each kind of job runs; the compiler wants every one. Apart from the planners: what starts tasks reaches no cluster. */
const runners: Readonly<Record<JobType, JobRunner>> = {
  approval: approvalRunner,
  notification: notificationRunner,
  freestyle: freestyleRunner,
  plugin: pluginRunner,
  "zadig-build": buildRunner,
  "zadig-test": testRunner,
  "zadig-scanning": scanRunner,
  "workflow-trigger": workflowTriggerRunner,
  "custom-deploy": customDeployRunner,
  "k8s-resource-patch": patchRunner,
  "offline-service": offlineRunner,
  "zadig-restart": restartRunner,
  "zadig-deploy": deployRunner,
  "zadig-helm-deploy": deployRunner,
  "zadig-helm-chart-deploy": chartDeployRunner,
  "zadig-distribute-image": distributeRunner,
  "k8s-blue-green-deploy": rolloutDeployRunner,
  "k8s-blue-green-release": rolloutReleaseRunner,
  "k8s-canary-deploy": rolloutDeployRunner,
  "k8s-canary-release": rolloutReleaseRunner,
  "k8s-gray-release": grayReleaseRunner,
  "k8s-gray-rollback": rollbackRunner,
  "istio-release": istioReleaseRunner,
  "istio-rollback": rollbackRunner,
  "update-env-istio-config": callRulesRunner,
  jenkins: jenkinsRunner,
  sql: sqlRunner,
};

/** Kinds that are stored and returned untouched fail with a sentence when they run (contract W 5). */
const notRun: JobRunner = immediate(async ({ plan }) => failed(`jobs of type ${plan.type} cannot be run here`));

export function runnerOf(type: string): JobRunner {
  return isJobType(type) ? runners[type] : notRun;
}
