import * as z from "zod";
import { analysis } from "../../definition/analysis.ts";
import type { JobKind } from "../../definition/jobKind.ts";
import { listOf, requiredText, text, whole as wholeNumber } from "../../definition/wireFields.ts";
import { minutes } from "../k8s-canary-deploy/kind.ts";

const whole = "must be a whole number of per cent, from 1 to 100";

/** Of what is released by its name; a StatefulSet's pods have places that nothing beside it can take. */
export const grayWorkload = {
  workload_type: z
    .string("must be a text")
    .regex(/^(?:deployment)?$/i, "must be Deployment; other workloads are not released gray")
    .nullish(),
  workload_name: requiredText.min(1, "workload_name cannot be empty"),
};

/** One step of a release that takes the place of the former pods by and by (contract W 5); the last makes all of them new. */
export const kind = {
  type: "k8s-gray-release",
  words: ["Gray Release", "灰度发布"],
  schema: z.looseObject({
    cluster_id: text,
    namespace: text,
    analysis,
    docker_registry_id: text,
    // The first step; empty in itself.
    from_job: text,
    deploy_timeout: minutes,
    gray_scale: z.int(whole).min(1, whole).max(100, whole),
    targets: listOf(
      z.looseObject({
        ...grayWorkload,
        ...{ container_name: requiredText.min(1, "container_name cannot be empty"), image: text, replica: wholeNumber },
      }),
    ),
    // What a start form may choose from; it is checked where it is chosen.
    target_options: listOf(z.looseObject({ workload_name: text, container_name: text })),
  }),
  namesNamespace: true,
  rollsOut: true,
  previews: true,
} as const satisfies JobKind;
