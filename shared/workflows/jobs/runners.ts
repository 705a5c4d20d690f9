import { approvalRunner } from "./approval/runner.ts";
import { customDeployRunner } from "./custom-deploy/runner.ts";
import { freestyleRunner } from "./freestyle/runner.ts";
import { patchRunner } from "./k8s-resource-patch/runner.ts";
import { notificationRunner } from "./notification/runner.ts";
import { offlineRunner } from "./offline-service/runner.ts";
import { pluginRunner } from "./plugin/runner.ts";
import { failed, immediate, type JobRunner } from "./runner.ts";
import { workflowTriggerRunner } from "./workflow-trigger/runner.ts";
import { buildRunner } from "./zadig-build/runner.ts";
import { deployRunner } from "./zadig-deploy/runner.ts";
import { restartRunner } from "./zadig-restart/runner.ts";
import { scanRunner } from "./zadig-scanning/runner.ts";
import { testRunner } from "./zadig-test/runner.ts";

/** Every kind of job that runs. A kind is a folder here with its planner, its runner and their entries in both lists. */
const runners: Readonly<Record<string, JobRunner>> = {
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
};

/** Kinds that are stored and returned untouched fail with a sentence when they run (contract W 5). */
const notRun: JobRunner = immediate(async ({ plan }) => failed(`jobs of type ${plan.type} cannot be run here`));

export function runnerOf(type: string): JobRunner {
  return (Object.hasOwn(runners, type) ? runners[type] : undefined) ?? notRun;
}
