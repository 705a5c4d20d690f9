import * as z from "zod";
import { withAliases } from "../../../../shared/base/common/withAliases.ts";
import { filled, imageReference, projectKey } from "../../../../shared/http/schemas.ts";

const maxReplicas = 2 ** 31 - 1;
const workloadName = filled("workload_name", 253);
/** Public clients leave it out. */
const serviceName = filled("service_name", 63)
  .or(z.literal(""))
  .optional()
  .transform((name) => (name === "" ? undefined : name));

export const scaledKinds = ["Deployment", "StatefulSet", "CloneSet"] as const;

/** Contract P 5.7. */
export const scaleRequest = withAliases(
  z.object({
    project_key: projectKey,
    env_key: filled("env_key", 64),
    service_name: serviceName,
    workload_name: workloadName,
    workload_type: z.enum(scaledKinds, {
      error: ({ input }) =>
        input === undefined ? "workload_type is required" : `unsupported workload type: ${String(input)}`,
    }),
    target_replicas: z
      .int("target_replicas must be a whole number")
      .min(0, "target_replicas must be greater than or equal to 0")
      .max(maxReplicas),
  }),
  { env_key: ["env_name"], target_replicas: ["replicas"] },
);

/** Contract P 5.8. */
export const imageUpdate = withAliases(
  z.object({
    product_name: projectKey,
    env_name: filled("env_name", 64).optional(),
    service_name: serviceName,
    name: filled("name", 253),
    container_name: filled("container_name", 63),
    image: imageReference("image"),
  }),
  { product_name: ["project_key"], name: ["workload_name"], image: ["image_name"] },
);

/** Contract P 5.9. */
export const podList = z
  .object({
    service_name: z.string(),
    pods: z.array(
      z.object({
        pod_name: z.string(),
        status: z.string(),
        pod_ready: z.boolean(),
        containers_ready: z.boolean(),
        create_time: z.int(),
        ip: z.string(),
        images: z.array(z.string()),
        workload_name: z.string(),
        workload_type: z.string(),
      }),
    ),
  })
  .meta({ id: "ServicePods" });
