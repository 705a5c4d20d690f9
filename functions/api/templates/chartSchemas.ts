import * as z from "zod";
import { filled, plainName } from "../../../shared/http/schemas.ts";
import { withAliases } from "../../../shared/values/withAliases.ts";
import { syncAnswer } from "./schemas.ts";

export const chartParams = z.object({ name: z.string().max(64, "must have at most 64 characters") });

const values = z
  .array(z.object({ key: filled("key", 256), value: z.union([z.string(), z.number(), z.boolean()]).transform(String) }))
  .max(200)
  .superRefine((list, context) => {
    const seen = new Set<string>();
    for (const [position, { key }] of list.entries()) {
      if (seen.has(key))
        context.addIssue({ code: "custom", path: [position, "key"], message: `duplicated key: ${key}` });
      seen.add(key);
    }
  });

const sources = ["upload", "repo", "chartRepo"] as const;

const source = z.enum(sources, `must be one of ${sources.join(", ")}`);

/** Of source `chartRepo` (contract P 3.3). */
export const createFrom = z.object({
  chartRepoName: filled("chartRepoName", 64),
  chartName: filled("chartName", 255),
  chartVersion: z.string("chartVersion must be a text").max(128).default(""),
});

/** Of source `repo` (contract P 3.3), which lists folders; a template has one. */
export const createFromFolder = withAliases(
  z.object({
    codehostName: filled("codehostName", 64),
    namespace: filled("namespace", 512),
    repo: filled("repo", 256),
    branch: filled("branch", 256),
    path: z
      .string("path must be a text")
      .max(1024, "must have at most 1024 characters")
      .transform((path) =>
        path
          .split("/")
          .filter((part) => part !== "" && part !== ".")
          .join("/"),
      )
      .refine((path) => !path.split("/").includes(".."), "must lie in the repository")
      .default(""),
  }),
  { namespace: ["owner"] },
);

export const newChartTemplate = z.object({
  name: plainName(),
  source: source.default("upload"),
  createFrom: z.unknown().optional(),
  variables: values.default([]),
});

/** Without a source the chart stays. */
export const changedChartTemplate = newChartTemplate.omit({ name: true }).extend({ source: source.optional() });

/** A packed chart: the bytes themselves as `application/gzip`, or in JSON as base64. */
export const uploadedChart = z.object({
  content: z.base64("content must be the packed chart in base64, or send it as application/gzip").min(1),
});

export const chartTemplate = z
  .object({
    name: z.string(),
    source: z.enum(sources),
    create_from: z.union([createFrom, createFromFolder]).optional(),
    chart_name: z.string(),
    chart_version: z.string(),
    digest: z.string(),
    variables: z.array(z.object({ key: z.string(), value: z.string() })),
    created_by: z.string(),
    created_time: z.int(),
    update_by: z.string(),
    update_time: z.int(),
  })
  .meta({ id: "ChartTemplate" });

export const chartTemplateList = z.object({ chart_templates: z.array(chartTemplate), total: z.int() });

export const uploadAnswer = syncAnswer.safeExtend({
  chart_name: z.string(),
  chart_version: z.string(),
  digest: z.string(),
});
