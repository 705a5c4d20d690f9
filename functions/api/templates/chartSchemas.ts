import * as z from "zod";
import { chartFolder, chartPlace } from "../../../shared/http/chartSources.ts";
import { filled, plainName } from "../../../shared/http/schemas.ts";
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
    create_from: z.union([chartPlace, chartFolder]).optional(),
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

/** Services that are brought to the template's chart; absent: those that follow it. */
export const chartReference = z
  .object({
    services: z
      .array(
        z.object({
          project_key: filled("project_key", 63),
          service_name: filled("service_name", 63),
          production: z.boolean().default(false),
        }),
      )
      .max(500, "must have at most 500 services")
      .optional(),
  })
  .prefault({});
