import type * as z from "zod";
import { approvalSpec } from "./approval.ts";
import { customDeploy } from "./customDeploy.ts";
import { freestyle } from "./freestyle.ts";
import { notificationSpec } from "./notification.ts";
import { offlineService } from "./offlineService.ts";
import { pluginSpec } from "./plugin.ts";
import { resourcePatch } from "./resourcePatch.ts";
import { workflowTrigger } from "./workflowTrigger.ts";
import { zadigBuild } from "./zadigBuild.ts";
import { zadigDeploy } from "./zadigDeploy.ts";
import { zadigRestart } from "./zadigRestart.ts";
import { zadigScanning } from "./zadigScanning.ts";
import { zadigTest } from "./zadigTest.ts";

/** What the spec of each known type of job must look like (contract W 5); specs of all others are kept unread. */
export const specSchemas: Readonly<Record<string, z.ZodType>> = {
  "zadig-build": zadigBuild,
  "zadig-deploy": zadigDeploy,
  "zadig-test": zadigTest,
  "zadig-scanning": zadigScanning,
  "zadig-restart": zadigRestart,
  freestyle,
  plugin: pluginSpec,
  "custom-deploy": customDeploy,
  "k8s-resource-patch": resourcePatch,
  "offline-service": offlineService,
  approval: approvalSpec,
  notification: notificationSpec,
  "workflow-trigger": workflowTrigger,
};
