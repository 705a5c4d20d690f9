import * as z from "zod";
import { isRecord } from "../../manifest/schema/kubeObject.ts";
import { condition, conditionForm } from "./condition.ts";
import { requiredText } from "./wireFields.ts";

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
const shared = {
  name: requiredText.min(1, "name cannot be empty").max(63, "name must have at most 63 characters"),
  interval: z.int(interval).min(leastInterval, interval).max(longestInterval, interval).default(leastInterval),
  count: z.int(count).min(1, count).max(mostLooks, count).default(1),
  failure_limit: z.int(limit).min(0, limit).max(mostLooks, limit).default(0),
  success: comparison,
  failure: comparison,
};

const empty = (why: string) =>
  z
    .string(why)
    .max(0, why)
    .nullish()
    .transform(() => "");
const nothing = empty("must be empty: restarts and pods that are not ready are counted");
const nobodyAsked = empty("must be empty: a Job runs in the namespace of the workload");
const ended = empty("must be empty: a Job completes or fails");
const serverId = requiredText.regex(/^[0-9a-f]{24}$/, "must be the id of a metric server");
const query = requiredText.min(1, "query cannot be empty").max(4096, "query must have at most 4096 characters");

const pods = z.looseObject({ provider: z.literal("kubernetes"), integration_id: nothing, query: nothing, ...shared });
const prometheus = z.looseObject({ provider: z.literal("prometheus"), integration_id: serverId, query, ...shared });
const web = z.looseObject({
  provider: z.literal("web"),
  integration_id: serverId,
  query: query.regex(/^\/[^#\s]*#(\/.*)?$/, "must be a path and a JSON pointer, such as /status#/errors/rate"),
  ...shared,
});
/** Whether the query is a Job is looked at where a workflow is saved (`analysisProblems`), for that takes a parser. */
const job = z.looseObject({
  ...{ provider: z.literal("job"), integration_id: nobodyAsked, query },
  ...{ ...shared, success: ended, failure: ended },
});

/** What a server says means nothing by itself. */
const comparable = (entry: { provider: string; success: string; failure: string }, context: z.RefinementCtx): void => {
  if (entry.provider === "kubernetes" || entry.provider === "job" || entry.success !== "" || entry.failure !== "")
    return;
  const message = "is empty, and so is failure; say by one of them what the value has to be, such as < 0.05";
  context.addIssue({ code: "custom", path: ["success"], message });
};

const withProvider = (entry: unknown): unknown =>
  isRecord(entry) ? { ...entry, provider: entry.provider ?? "kubernetes" } : entry;

const one = z.preprocess(
  withProvider,
  z
    .discriminatedUnion("provider", [pods, prometheus, web, job], {
      error: ({ code }) =>
        code === "invalid_union" ? "must be kubernetes, prometheus, web or job" : "must be an object",
    })
    .superRefine(comparable),
);

/** What is looked at before a release rolls its workload, and after a step of one (decisions 12.5). */
export const analysis = z
  .array(one, "must be a list")
  .max(mostAnalyses, `must have at most ${mostAnalyses} entries`)
  .superRefine((list, context) => {
    for (const [at, { name }] of list.entries())
      if (list.findIndex((other) => other.name === name) < at)
        context.addIssue({ code: "custom", path: [at, "name"], message: `${name} is used twice` });
  })
  .nullish();
