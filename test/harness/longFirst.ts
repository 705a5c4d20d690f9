import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take long though they are small: begun last, one of them would run alone at the end. */
const long = [
  "crash/crash",
  "crash/rollouts",
  "jobs/rolloutAnalysis",
  "security/matrix",
  "security/everyBody",
  "security/everyAnswer",
  "environments/clusterTroubles",
  "jobs/rollouts",
  "jobs/istioReleases",
  "jobs/rolloutControl",
  "crash/repeats",
  "events/services",
  "jobs/distribute",
  "console/pages",
  "jobs/scanning",
  "jobs/testing",
  "jobs/pipeline",
  "jobs/qualityTasks",
  "start/start",
  "contract/pageBudget",
  "tasks/limits",
  "tasks/errorPolicies",
  "tasks/approvals",
];

/** Begins the files that take longest, so that all workers end at about the same time. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files);
    return others.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = long.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return place === -1 ? long.length : place;
}
