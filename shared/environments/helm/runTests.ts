import { nowSeconds } from "../../base/store/ids.ts";
import type { ClusterClient, LiveObject } from "../../kube/client/ClusterClient.ts";
import { RetryableClusterError } from "../../kube/client/errors.ts";
import { findObject } from "../../kube/client/findObject.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { findProblems } from "../../kube/problems/findProblems.ts";
import { ChartProblem } from "../../packaging/helm/chartProblem.ts";
import type { ReleaseTest } from "../../packaging/helm/releaseTests.ts";
import { testRelease } from "../../packaging/helm/upgradeRelease.ts";
import { recordTests } from "../apply/recordTests.ts";
import { ChangeSuperseded, requireCurrentChange } from "../change/changeControl.ts";
import { reasonOf } from "../failures.ts";
import type { Change } from "../store/changes.ts";
import { findEnvironmentService } from "../store/environments.ts";
import type { TestOutcome, TestRun } from "../store/testRuns.ts";
import { withCancellation } from "../withCancellation.ts";
import { readTests } from "./readTests.ts";
import { holdingRelease } from "./releaseLease.ts";
import { type ReleasePlace, releaseProxy } from "./releaseProxy.ts";

const longest = 2000;

/** Why a test failed, from what its run left in the cluster: exit code and last lines, or what kept it from starting. */
async function whyTestFailed(
  client: ClusterClient,
  namespace: string,
  { kind, name, lastRun }: ReleaseTest,
): Promise<string> {
  const apiVersion = { Pod: "v1", Job: "batch/v1" }[kind];
  const object = apiVersion && (await findObject(client, { apiVersion, kind, namespace, name }));
  if (!object)
    return `${kind} "${name}" failed and is gone, so that nothing tells why; does its helm.sh/hook-delete-policy say hook-failed?`;
  const problems = await findProblems(client, namespace, [...(await podsOf(client, namespace, object)), object]);
  const [told] = problems;
  if (told !== undefined) return told.message.slice(0, longest);
  return lastRun?.phase === "Failed" ? `${kind} "${name}" failed` : `${kind} "${name}" did not end in time`;
}

async function podsOf(client: ClusterClient, namespace: string, { kind, metadata }: LiveObject): Promise<LiveObject[]> {
  if (kind !== "Job") return [];
  const labelSelector = `batch.kubernetes.io/job-name=${metadata.name}`;
  return (await client.list({ apiVersion: "v1", kind: "Pod" }, { namespace, labelSelector })).items;
}

type Found = Pick<TestRun, "version" | "error" | "tests">;

/**
 * Has Helm run the tests of a release, and notes on the service how each ended and why. Repeating what is noted, or what
 * Helm ended before it could be noted, runs nothing.
 * @throws ChangeSuperseded when a newer change took the environment over; RetryableClusterError
 */
export async function runTests(changeId: string): Promise<void> {
  const change = await requireCurrentChange(changeId);
  if (change.test === undefined) throw new Error(`change ${changeId} tests nothing`);
  const place = { ...change, service: change.test.service };
  await holdingRelease(place, async () => {
    const service = await findEnvironmentService(place.projectKey, place.envKey, place.service);
    const { test } = service ?? {};
    if (test?.changeId !== changeId || test.status !== "running") return;
    const found = await withCancellation(
      () => isOver(changeId),
      (signal) => run(place, change, signal),
    );
    const passed = found.error === "" && found.tests.every(({ status }) => status === "passed");
    await recordTests(change, place.service, {
      ...{ ...test, ...found },
      status: passed ? "passed" : "failed",
      endedAt: nowSeconds(),
    });
  });
}

async function isOver(changeId: string): Promise<boolean> {
  try {
    await requireCurrentChange(changeId);
    return false;
  } catch (error) {
    if (error instanceof ChangeSuperseded) return true;
    throw error;
  }
}

async function run(place: ReleasePlace, change: Change, signal: AbortSignal): Promise<Found> {
  let version = 0;
  const tests: TestOutcome[] = [];
  try {
    const { client } = await openCluster(place.clusterId);
    const before = await readTests(client, place);
    version = before.version;
    const ended = hasEnded(before.tests, change.startedAt);
    let error = "";
    try {
      if (!ended) error = await testRelease(releaseProxy(client, place, { take: false }), place.service, signal);
    } catch (failure) {
      if (!(failure instanceof ChartProblem)) throw failure;
      error = failure.message;
    }
    const ran = new Map(before.tests.map(({ name, lastRun }) => [name, lastRun?.started]));
    const after = ended ? before : await readTests(client, place);
    for (const test of after.tests) {
      const isOfThisRun = ended || test.lastRun?.started !== ran.get(test.name);
      tests.push(await outcomeOf(client, place.namespace, isOfThisRun ? test : notRun(test)));
    }
    // What a test says of itself is better than what Helm says of it.
    return { version, tests, error: tests.some(({ status }) => status === "failed") ? "" : error };
  } catch (error) {
    if (error instanceof RetryableClusterError) throw error;
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    return { version, tests, error: reason };
  }
}

/** Whether Helm ran them to the end since then; it stops at the first that fails. */
function hasEnded(tests: readonly ReleaseTest[], since: number): boolean {
  const runs = tests.map(({ lastRun }) => (lastRun !== undefined && lastRun.startedAt >= since ? lastRun.phase : ""));
  const isEnd = (phase: string) => phase === "Succeeded" || phase === "Failed";
  return runs.includes("Failed") ? runs.every((phase) => phase === "" || isEnd(phase)) : runs.every(isEnd);
}

async function outcomeOf(client: ClusterClient, namespace: string, test: ReleaseTest): Promise<TestOutcome> {
  const { kind, name, lastRun } = test;
  const { phase, startedAt = 0, endedAt = 0 } = lastRun ?? {};
  const outcome = { kind, name, message: "", startedAt, endedAt };
  if (phase === undefined) return { ...outcome, status: "skipped" };
  if (phase === "Succeeded") return { ...outcome, status: "passed" };
  return { ...outcome, status: "failed", message: await whyTestFailed(client, namespace, test) };
}

function notRun({ kind, name, template }: ReleaseTest): ReleaseTest {
  return { kind, name, template };
}
