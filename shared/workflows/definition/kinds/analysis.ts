import * as z from "zod";
import { condition, conditionForm } from "../condition.ts";
import { requiredText } from "../wireFields.ts";

/** Seconds between two looks. */
const leastInterval = 10;
const longestInterval = 3600;
const mostLooks = 100;
/** So that what is kept of the looks stays small. */
const mostAnalyses = 5;

const comparison = requiredText
  .refine((text) => text === "" || condition(text) !== undefined, conditionForm)
  .nullish()
  .transform((text) => text ?? "");

const interval = `must be a whole number of seconds, from ${leastInterval} to ${longestInterval}`;
const count = `must be a whole number of looks, from 1 to ${mostLooks}`;
const limit = `must be a whole number of failures, from 0 to ${mostLooks}`;
const nobodyAsked = "must be empty: restarts and pods that are not ready are counted";
const nothing = z.string(nobodyAsked).max(0, nobodyAsked).nullish();

const one = z.looseObject({
  name: requiredText.min(1, "name cannot be empty").max(63, "name must have at most 63 characters"),
  provider: z
    .literal("kubernetes", "must be kubernetes; prometheus, web and job are not asked yet")
    .nullish()
    .transform(() => "kubernetes" as const),
  integration_id: nothing,
  query: nothing,
  success: comparison,
  failure: comparison,
  interval: z.int(interval).min(leastInterval, interval).max(longestInterval, interval).default(leastInterval),
  count: z.int(count).min(1, count).max(mostLooks, count).default(1),
  failure_limit: z.int(limit).min(0, limit).max(mostLooks, limit).default(0),
});

/** What is looked at before a release rolls its workload (decisions 12.5). */
export const analysis = z
  .array(one, "must be a list")
  .max(mostAnalyses, `must have at most ${mostAnalyses} entries`)
  .superRefine((list, context) => {
    for (const [at, { name }] of list.entries())
      if (list.findIndex((other) => other.name === name) < at)
        context.addIssue({ code: "custom", path: [at, "name"], message: `${name} is used twice` });
  })
  .nullish();

const notHere = "must be empty: steps of gray and Istio releases have no analysis yet";

/** Where nothing is looked at yet: what would be passed over is refused. */
export const noAnalysis = z.array(z.unknown(), notHere).max(0, notHere).nullish();
