import * as z from "zod";
import type { JobKind } from "../../definition/jobKind.ts";
import { listOf, text, whole } from "../../definition/wireFields.ts";
import { minutes } from "../k8s-canary-deploy/kind.ts";
import { grayWorkload } from "../k8s-gray-release/kind.ts";

/** Workloads become what they were before their gray release (contract W 5). */
export const kind = {
  type: "k8s-gray-rollback",
  words: ["Gray Rollback", "灰度回滚"],
  schema: z.looseObject({
    cluster_id: text,
    cluster_source: text,
    namespace: text,
    rollback_timeout: minutes,
    // What forms show of before; what the workload itself says of it is what counts.
    targets: listOf(z.looseObject({ ...grayWorkload, origin_image: text, origin_replica: whole })),
    target_options: listOf(z.looseObject({ workload_name: text })),
  }),
  namesNamespace: true,
  previews: true,
} as const satisfies JobKind;
