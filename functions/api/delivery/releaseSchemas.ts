import * as z from "zod";
import { pageInteger, unixSeconds } from "../../../shared/http/schemas.ts";
import { shownVersion } from "./schemas.ts";

const filter = (most: number) => z.string().max(most, `must have at most ${most} characters`).default("");

/** Contract D 3.1. */
export const query = z.object({
  ...{ projectName: filter(63), workflowName: filter(128), serviceName: filter(128) },
  taskId: z
    .string()
    .regex(/^\d{0,15}$/, "must be the number of a task")
    .default("")
    .transform(Number),
  ...{ page: pageInteger(1), per_page: pageInteger(20, 100) },
  verbosity: z.enum(["brief", "detailed"], "must be brief or detailed").default("detailed"),
});

const alwaysZero = z.int().meta({ description: "Always 0: a version that was deleted is not listed" });

const container = z.object({ name: z.string(), image: z.string() });
const snapshot = z
  .object({
    product_name: z.string(),
    env_name: z.string(),
    production: z.boolean(),
    services: z.array(z.array(z.object({ service_name: z.string(), containers: z.array(container) }))),
  })
  .nullable()
  .meta({ description: "What the version took from the environment that it was made from; null for others" });

const versionInfo = z.object({
  ...{ id: z.string(), version: z.string(), productName: z.string(), type: z.string(), status: z.string() },
  ...{ workflowName: z.string(), workflowDisplayName: z.string(), taskId: z.int() },
  ...{ desc: z.string(), labels: z.array(z.string()), productEnvInfo: snapshot, createdBy: z.string() },
  progress: z.object({
    successCount: z.int(),
    totalCount: z.int(),
    uploadStatus: z.string(),
    workflowStatus: z.string(),
    error: z.string(),
  }),
  ...{ created_at: unixSeconds, deleted_at: alwaysZero },
});

const deployInfo = z.object({
  ...{ id: z.string(), releaseId: z.string() },
  serviceName: z.string().meta({ description: "<service>/<container>" }),
  ...{ real_service_name: z.string(), service_module: z.string(), containerName: z.string() },
  ...{ image: z.string(), image_name: z.string(), registry_id: z.string() },
  yamlContents: z.array(z.string()).meta({ description: "The service's manifest; brief answers leave it out" }),
  ...{ envs: z.array(z.never()), orderedServices: z.array(z.array(z.string())) },
  ...{ start_time: unixSeconds, end_time: unixSeconds, created_at: unixSeconds, deleted_at: alwaysZero },
});

const none = z.array(z.never());

export const list = z.array(
  z
    .object({
      ...shownVersion.shape,
      ...{ versionInfo, buildInfo: none, deployInfo: z.array(deployInfo), testInfo: none },
      ...{ distributeInfo: none, securityStatsInfo: none },
    })
    .meta({ id: "DeliveryRelease" }),
);
