import * as z from "zod";
import { withAliases } from "../../../shared/base/common/withAliases.ts";
import { mapOf } from "../../../shared/delivery/rules/mergedValues.ts";
import { filled, plainName, projectKey } from "../../../shared/http/schemas.ts";
import { cutMark } from "../../../shared/http/stream/cutMark.ts";
import { maxServices, versionText } from "./schemas.ts";

/** What is done with versions that stand. */

export const ofTwoVersions = z.object({ id: z.string(), other: z.string() });

export const manifest = z.string().meta({ description: "YAML of several documents, in the order of the services" });

const change = z.enum(["added", "removed", "changed", "unchanged"]);
const image = z
  .object({ image: z.string(), digest: z.string().meta({ description: "Empty when it could not be read" }) })
  .nullable();

export const difference = z
  .object({
    id: z.string(),
    version_name: z.string(),
    other_id: z.string(),
    other_version_name: z.string(),
    services: z.array(
      z.object({
        service_name: z.string(),
        change,
        images: z.array(z.object({ container_name: z.string(), change, before: image, after: image })),
        yaml_diff: z.string().meta({ description: "Unified diff; empty when equal" }),
      }),
    ),
    ...cutMark,
  })
  .meta({ id: "DeliveryVersionDifference" });

/** Where a version goes (decisions 14.11). */
export const deployBody = withAliases(
  z.object({
    env_key: filled("env_key", 64),
    production: z
      .boolean("must be true or false")
      .nullish()
      .transform((sent) => sent === true),
    services: z
      .array(plainName(), "must be a list of names of services")
      .min(1, "must name at least one; leave it out to deploy all")
      .max(maxServices)
      .optional(),
  }),
  { env_key: ["env_name"] },
);

export const checkedName = z.object({ projectKey, version: z.string().default("") });

export const chartOfVersion = z.object({ projectKey, version: filled("version"), chartName: filled("chartName") });

export const archive = z.string().meta({ format: "binary", description: "The packed chart, <name>-<version>.tgz" });

const maxCharts = 50;

const chartNames = z
  .string("is required: names of charts with commas between them")
  .transform((text) => [...new Set(text.split(",").map((name) => name.trim()))].filter((name) => name !== ""))
  .pipe(
    z
      .array(plainName(253))
      .min(1, "must name at least one chart")
      .max(maxCharts, `must name at most ${maxCharts} charts`),
  );

export const chartsOfRepository = z.object({ chartName: chartNames, chartRepoName: filled("chartRepoName") });

export const nextVersions = z.array(
  z
    .object({
      chartName: z.string(),
      chartVersion: z.string().meta({ description: "Empty for a chart that is not there yet" }),
      nextChartVersion: z.string(),
      url: z.string().meta({ description: "Where the newest one is; empty for a chart that is not there yet" }),
    })
    .meta({ id: "NextChartVersion" }),
);

const values = versionText(2 * 1024 * 1024).superRefine((text, context) => {
  try {
    mapOf(text);
  } catch (error) {
    context.addIssue({ code: "custom", message: error instanceof Error ? error.message : "is no YAML" });
  }
});

export const globalVariables = withAliases(
  z.object({
    globalVariables: values,
    services: z.array(z.object({ service_name: plainName(), yaml_content: values }), "must be a list").max(maxServices),
  }),
  { globalVariables: ["global_variables"] },
);

export const mergedServices = z.object({
  services: z.array(z.object({ service_name: z.string(), yaml_content: z.string() })),
});
