import { kind as apollo } from "../jobs/apollo/kind.ts";
import { kind as approval } from "../jobs/approval/kind.ts";
import { kind as customDeploy } from "../jobs/custom-deploy/kind.ts";
import { kind as freestyle } from "../jobs/freestyle/kind.ts";
import { kind as istioRelease } from "../jobs/istio-release/kind.ts";
import { kind as istioRollback } from "../jobs/istio-rollback/kind.ts";
import { kind as jenkins } from "../jobs/jenkins/kind.ts";
import { kind as jira } from "../jobs/jira/kind.ts";
import { kind as blueGreenDeploy } from "../jobs/k8s-blue-green-deploy/kind.ts";
import { kind as blueGreenRelease } from "../jobs/k8s-blue-green-release/kind.ts";
import { kind as canaryDeploy } from "../jobs/k8s-canary-deploy/kind.ts";
import { kind as canaryRelease } from "../jobs/k8s-canary-release/kind.ts";
import { kind as grayRelease } from "../jobs/k8s-gray-release/kind.ts";
import { kind as grayRollback } from "../jobs/k8s-gray-rollback/kind.ts";
import { kind as resourcePatch } from "../jobs/k8s-resource-patch/kind.ts";
import { kind as nacos } from "../jobs/nacos/kind.ts";
import { kind as notification } from "../jobs/notification/kind.ts";
import { kind as offlineService } from "../jobs/offline-service/kind.ts";
import { kind as plugin } from "../jobs/plugin/kind.ts";
import { kind as sql } from "../jobs/sql/kind.ts";
import { kind as updateEnvIstioConfig } from "../jobs/update-env-istio-config/kind.ts";
import { kind as workflowTrigger } from "../jobs/workflow-trigger/kind.ts";
import { kind as zadigBuild } from "../jobs/zadig-build/kind.ts";
import { kind as zadigDeploy } from "../jobs/zadig-deploy/kind.ts";
import { kind as zadigDistributeImage } from "../jobs/zadig-distribute-image/kind.ts";
import { kind as zadigHelmChartDeploy } from "../jobs/zadig-helm-chart-deploy/kind.ts";
import { kind as zadigHelmDeploy } from "../jobs/zadig-helm-deploy/kind.ts";
import { kind as zadigRestart } from "../jobs/zadig-restart/kind.ts";
import { kind as zadigScanning } from "../jobs/zadig-scanning/kind.ts";
import { kind as zadigTest } from "../jobs/zadig-test/kind.ts";
import type { JobKind } from "./jobKind.ts";

/**
 * Every kind of job. One more is its folder in `../jobs` and its line here: `kind.ts` says what its definition holds,
 * `planner.ts` what a start makes of it, `runner.ts` what it does, and `preview.ts` what it would do. The last three are
 * loaded by the type's name, when they are needed.
 */
const all = [
  ...[zadigBuild, zadigDistributeImage, zadigDeploy, zadigTest, zadigScanning, zadigRestart, freestyle, plugin],
  ...[customDeploy, resourcePatch, offlineService, approval, notification, workflowTrigger],
  ...[zadigHelmDeploy, zadigHelmChartDeploy, blueGreenDeploy, blueGreenRelease, canaryDeploy, canaryRelease],
  ...[grayRelease, grayRollback, istioRelease, istioRollback, updateEnvIstioConfig],
  ...[jenkins, sql, nacos, apollo, jira],
];

const kinds = new Map<unknown, JobKind>(all.map((kind) => [kind.type, kind]));

export type JobType = (typeof all)[number]["type"];

export const jobTypes: readonly JobType[] = all.map(({ type }) => type);

export function isJobType(type: string): type is JobType {
  return kinds.has(type);
}

/** The kind of a type of job; undefined for types that are stored as they are sent, and fail when they run. */
export function jobKindOf(type: unknown): JobKind | undefined {
  return kinds.get(type);
}
