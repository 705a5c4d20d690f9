import type * as z from "zod";
import type { analysis } from "../../../definition/analysis.ts";

/** What is looked at, how often, and what has to hold. Empty texts: not given. */
export interface Analysis {
  name: string;
  provider: "kubernetes" | "prometheus" | "web" | "job";
  /** Of the server that is asked. */
  integrationId: string;
  query: string;
  success: string;
  failure: string;
  /** Seconds before each look, and those that a Job may run. */
  interval: number;
  count: number;
  /** So many looks may fail. */
  failureLimit: number;
}

/** What does not answer within so many seconds has failed (decisions 12.5). */
export const secondsOfLook = 10;

/** So long after its time a Job may still be ended by the cluster. */
export const secondsOfGrace = 15;

/** As a runner needs them. */
export function analysesOf(given: z.output<typeof analysis>): Analysis[] {
  return (given ?? []).map(({ integration_id, failure_limit, ...one }) => {
    const { name, provider, query, success, failure, interval, count } = one;
    const asked = { name, provider, integrationId: integration_id, query };
    return { ...asked, success, failure, interval, count, failureLimit: failure_limit };
  });
}

/** How long they take at most: they look side by side. */
export function analysisMinutes(analyses: readonly Analysis[]): number {
  const seconds = Math.max(0, ...analyses.map((one) => (one.interval + secondsOfOne(one)) * one.count));
  return Math.ceil(seconds / 60);
}

function secondsOfOne({ provider, interval }: Analysis): number {
  return provider === "job" ? interval + secondsOfGrace : secondsOfLook;
}
