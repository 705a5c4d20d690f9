import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { withCallBudget } from "../../../../base/outbound/callBudget.ts";
import { nowSeconds } from "../../../../base/store/ids.ts";
import { table } from "../../../../base/store/table.ts";
import { tryWrite } from "../../../../base/store/tryWrite.ts";
import { besideName, type Rollout } from "../../../../environments/store/rollouts.ts";
import type { ClusterClient } from "../../../../kube/client/ClusterClient.ts";
import { ClusterError } from "../../../../kube/client/errors.ts";
import { findObject } from "../../../../kube/client/findObject.ts";
import { conditionOf } from "../../../../kube/live/conditions.ts";
import { isPod, type LivePod } from "../../../../kube/live/liveTypes.ts";
import { changeJob } from "../../../records/records.ts";
import type { JobRun } from "../../runner.ts";
import { deploymentRef, textsAt } from "../findTarget.ts";
import { rolloutRunOf } from "../rolloutRun.ts";
import { type Analysis, secondsOfLook } from "./analyses.ts";
import { askServer } from "./askServer.ts";
import { jobValue } from "./jobValue.ts";
import { dueAt, judged, type Looked, lookedIn, notLooked, withLook } from "./looks.ts";
import { NoValue } from "./noValue.ts";

/** Unix seconds, and the number as a text. */
const sample = z.tuple([z.number(), z.string()]);
const answer = z.object({
  data: z.discriminatedUnion("resultType", [
    z.object({ resultType: z.literal("scalar"), result: sample }),
    z.object({ resultType: z.literal("vector"), result: z.array(z.object({ value: sample })) }),
  ]),
});

/** What an expression is now. @throws NoValue unless it is one number */
export async function prometheusValue(integrationId: string, expression: string): Promise<number> {
  const query = new URLSearchParams({ query: expression, timeout: `${secondsOfLook}s` });
  const read = answer.safeParse(await askServer(integrationId, "prometheus", `/api/v1/query?${query}`));
  if (!read.success) throw new NoValue("the expression is neither a number nor an instant vector");
  const { data } = read.data;
  const samples = data.resultType === "scalar" ? [data.result] : data.result.map(({ value }) => value);
  const [first, ...more] = samples;
  if (first === undefined) throw new NoValue("there is no data");
  if (more.length > 0) throw new NoValue(`the expression has ${samples.length} series; it must have one`);
  const value = Number(first[1].replace("Inf", "Infinity"));
  if (!Number.isFinite(value)) throw new NoValue(`the expression is ${first[1]}`);
  return value;
}

/** What the looks have come to so far. */
export type Analysed = { result: { analysis: Looked[] } } & (
  | { outcome: "passed" }
  | { outcome: "failed"; error: string }
  | { outcome: "waits"; seconds: number }
);

/** Until a Job that runs is looked at again. */
const secondsBetween = 5;
/** A task that is cancelled is seen to be within it. */
const longestWait = 60;

/**
 * Looks at everything that is due, and keeps what was seen; may be repeated at any time.
 * @param shown is kept with it
 */
export async function analyse(
  run: JobRun,
  client: ClusterClient,
  rollout: Rollout,
  shown: Record<string, unknown> = {},
): Promise<Analysed> {
  const { task, job } = run;
  const analyses = rolloutRunOf(run).analysis ?? [];
  const now = nowSeconds();
  const before = lookedIn(job.result) ?? analyses.map((one) => notLooked(one, now));
  const looked = await Promise.all(
    before.map((one, at) => lookIfDue(analyses[at], one, now, (analysis) => seen(analysis, one, client, rollout))),
  );
  const result = { ...job.result, ...shown, analysis: looked };
  // A Job that runs is asked for every few seconds, and mostly nothing is new.
  if (!isDeepStrictEqual(result, job.result)) await tryWrite(table().write(changeJob(task, job, { set: { result } })));
  const failed = looked.find(({ status }) => status === "failed");
  if (failed !== undefined) return { outcome: "failed", error: sentence(failed), result };
  const waits = looked.flatMap((one, at) => (one.status === "running" ? secondsUntil(analyses[at], one) : []));
  if (waits.length === 0) return { outcome: "passed", result };
  return { outcome: "waits", seconds: Math.min(longestWait, ...waits), result };
}

async function lookIfDue(
  analysis: Analysis | undefined,
  looked: Looked,
  now: number,
  see: (analysis: Analysis) => Promise<number | undefined>,
): Promise<Looked> {
  if (analysis === undefined || looked.status !== "running" || now < dueAt(analysis, looked)) return looked;
  const value = await valueOrReason(() => see(analysis));
  return value === undefined ? looked : withLook(analysis, looked, judged(analysis, value, now));
}

/** @returns undefined for what is not known yet @throws NoValue, ClusterError */
async function seen(
  analysis: Analysis,
  looked: Looked,
  client: ClusterClient,
  rollout: Rollout,
): Promise<number | undefined> {
  const { provider, integrationId, query } = analysis;
  if (provider === "prometheus") return prometheusValue(integrationId, query);
  if (provider === "web") return webValue(integrationId, query);
  return provider === "job" ? jobValue(client, rollout, analysis, looked) : podsValue(client, rollout);
}

async function valueOrReason<T>(see: () => Promise<T>): Promise<T | string> {
  try {
    return await withCallBudget(secondsOfLook, see);
  } catch (error) {
    if (error instanceof NoValue || error instanceof ClusterError) return error.message;
    throw error;
  }
}

/** What is due and still running has not ended yet. */
function secondsUntil(analysis: Analysis | undefined, looked: Looked): number[] {
  if (analysis === undefined) return [];
  const seconds = dueAt(analysis, looked) - nowSeconds();
  return [seconds > 0 ? seconds : secondsBetween];
}

function sentence({ name, looks }: Looked): string {
  const failures = looks.filter(({ passed }) => !passed).length;
  return `analysis ${name} failed at ${failures} of ${looks.length} looks: ${looks.at(-1)?.reason ?? ""}`;
}

/** Restarts of the new pods, and how many of them are not ready. @throws NoValue when there is none */
async function podsValue(client: ClusterClient, rollout: Rollout): Promise<number> {
  const { namespace } = rollout;
  const beside = await findObject(client, deploymentRef({ namespace, name: besideName(rollout.name, rollout) }));
  const labels = Object.entries(beside === undefined ? {} : textsAt(beside, ["spec", "selector", "matchLabels"]));
  if (labels.length === 0) throw new NoValue("there is nothing beside the workload");
  const labelSelector = labels.map(([key, value]) => `${key}=${value}`).join(",");
  const { items } = await client.list({ apiVersion: "v1", kind: "Pod" }, { namespace, labelSelector });
  const pods = items.filter(isPod).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (pods.length === 0) throw new NoValue("there are no new pods");
  return pods.reduce((sum, pod) => sum + restartsOf(pod) + (isReady(pod) ? 0 : 1), 0);
}

function restartsOf({ status }: LivePod): number {
  return (status?.containerStatuses ?? []).reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
}

function isReady(pod: LivePod): boolean {
  return conditionOf(pod, "Ready")?.status === "True";
}

/** The number at a JSON pointer of what a path answers. @param query `<path>#<pointer>` @throws NoValue */
export async function webValue(integrationId: string, query: string): Promise<number> {
  const hash = query.indexOf("#");
  const pointer = query.slice(hash + 1);
  const found = valueAt(await askServer(integrationId, "web", query.slice(0, hash)), pointer);
  const value = typeof found === "string" && found.trim() !== "" ? Number(found) : found;
  if (typeof value === "boolean") return Number(value);
  if (typeof value !== "number" || !Number.isFinite(value))
    throw new NoValue(`there is no number at ${pointer || "/"}`);
  return value;
}

/** RFC 6901. */
function valueAt(document: unknown, pointer: string): unknown {
  const parts = pointer.split("/").slice(1);
  return parts.reduce((value: unknown, part) => {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    if (Array.isArray(value) && key === "length") return undefined;
    return (value as Record<string, unknown>)[key];
  }, document);
}
