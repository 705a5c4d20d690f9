import type { JobType } from "../definition/jobKinds.ts";
import { previewCustomDeploy } from "./custom-deploy/preview.ts";
import { previewPatch } from "./k8s-resource-patch/preview.ts";
import { previewOffline } from "./offline-service/preview.ts";
import type { JobPreviewer } from "./preview.ts";
import { previewBeside, previewRelease, previewRollback, previewStep } from "./rollout/preview.ts";
import { previewCallRules } from "./update-env-istio-config/preview.ts";
import { previewDeployJob } from "./zadig-deploy/preview.ts";
import { previewChartDeploy } from "./zadig-helm-chart-deploy/preview.ts";
import { previewRestartJob } from "./zadig-restart/preview.ts";

/** Every kind of job that does something to environments, with how it is found out what. */
const previews: Readonly<Partial<Record<JobType, JobPreviewer>>> = {
  "zadig-deploy": previewDeployJob,
  "zadig-helm-deploy": previewDeployJob,
  "zadig-helm-chart-deploy": previewChartDeploy,
  "zadig-restart": previewRestartJob,
  "offline-service": previewOffline,
  "custom-deploy": previewCustomDeploy,
  "k8s-resource-patch": previewPatch,
  "k8s-blue-green-deploy": previewBeside,
  "k8s-blue-green-release": previewRelease,
  "k8s-canary-deploy": previewBeside,
  "k8s-canary-release": previewRelease,
  "k8s-gray-release": previewStep,
  "k8s-gray-rollback": previewRollback,
  "istio-release": previewStep,
  "istio-rollback": previewRollback,
  "update-env-istio-config": previewCallRules,
};

/** Undefined for kinds that do nothing to an environment by themselves. */
export function previewerOf(type: string): JobPreviewer | undefined {
  return previews[type as JobType];
}
