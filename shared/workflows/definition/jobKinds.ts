import type { JobKind } from "./jobKind.ts";
import { approval } from "./kinds/approval.ts";
import { blueGreenDeploy } from "./kinds/blueGreenDeploy.ts";
import { blueGreenRelease } from "./kinds/blueGreenRelease.ts";
import { canaryDeploy } from "./kinds/canaryDeploy.ts";
import { canaryRelease } from "./kinds/canaryRelease.ts";
import { customDeploy } from "./kinds/customDeploy.ts";
import { freestyle } from "./kinds/freestyle.ts";
import { grayRelease } from "./kinds/grayRelease.ts";
import { grayRollback } from "./kinds/grayRollback.ts";
import { istioRelease } from "./kinds/istioRelease.ts";
import { istioRollback } from "./kinds/istioRollback.ts";
import { jenkins } from "./kinds/jenkins.ts";
import { notification } from "./kinds/notification.ts";
import { offlineService } from "./kinds/offlineService.ts";
import { plugin } from "./kinds/plugin.ts";
import { resourcePatch } from "./kinds/resourcePatch.ts";
import { sql } from "./kinds/sql.ts";
import { updateEnvIstioConfig } from "./kinds/updateEnvIstioConfig.ts";
import { workflowTrigger } from "./kinds/workflowTrigger.ts";
import { zadigBuild } from "./kinds/zadigBuild.ts";
import { zadigDeploy } from "./kinds/zadigDeploy.ts";
import { zadigDistributeImage } from "./kinds/zadigDistributeImage.ts";
import { zadigHelmChartDeploy } from "./kinds/zadigHelmChartDeploy.ts";
import { zadigHelmDeploy } from "./kinds/zadigHelmDeploy.ts";
import { zadigRestart } from "./kinds/zadigRestart.ts";
import { zadigScanning } from "./kinds/zadigScanning.ts";
import { zadigTest } from "./kinds/zadigTest.ts";

/**
 * Every kind of job. One more is its file in `kinds`, its folder in `../jobs` with how it is planned and how it runs, and
 * its line here; the compiler then asks for it in `../jobs/planners.ts` and `../jobs/runners.ts`. Those are two lists
 * because what starts tasks must not bring along what reaches clusters.
 */
const all = [
  ...[zadigBuild, zadigDistributeImage, zadigDeploy, zadigTest, zadigScanning, zadigRestart, freestyle, plugin],
  ...[customDeploy, resourcePatch, offlineService, approval, notification, workflowTrigger],
  ...[zadigHelmDeploy, zadigHelmChartDeploy, blueGreenDeploy, blueGreenRelease, canaryDeploy, canaryRelease],
  ...[grayRelease, grayRollback, istioRelease, istioRollback, updateEnvIstioConfig],
  ...[jenkins, sql],
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
