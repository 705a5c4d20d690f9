import * as z from "zod";
import type { JobKind } from "../../definition/jobKind.ts";
import { listOf, requiredText, text } from "../../definition/wireFields.ts";

const whole = "must be a whole number from 1 to 100: how many canary pods there are for 100 of the workload";

/** Minutes; 0 or absent: the platform's default. */
export const minutes = z.number("must be a number of minutes").min(0, "must be at least 0 minutes").nullish();

const targets = listOf(
  z.looseObject({
    k8s_service_name: requiredText.min(1, "k8s_service_name cannot be empty"),
    container_name: requiredText.min(1, "container_name cannot be empty"),
    image: text,
    canary_percentage: z.int(whole).min(1, whole).max(100, whole),
    deploy_timeout: minutes,
  }),
);

/** New pods share the traffic of those that run (contract W 5). */
export const kind = {
  type: "k8s-canary-deploy",
  words: ["Canary Deploy", "金丝雀部署"],
  schema: z.looseObject({
    cluster_id: text,
    namespace: text,
    docker_registry_id: text,
    targets,
    // What a start form may choose from; it is checked where it is chosen.
    target_options: listOf(z.looseObject({ k8s_service_name: text })),
  }),
  namesNamespace: true,
  rollsOut: true,
  releasedBy: "k8s-canary-release",
  previews: true,
} as const satisfies JobKind;
