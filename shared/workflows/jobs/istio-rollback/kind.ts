import * as z from "zod";
import type { JobKind } from "../../definition/jobKind.ts";
import { listOf, text } from "../../definition/wireFields.ts";
import { istioTarget } from "../istio-release/kind.ts";
import { minutes } from "../k8s-canary-deploy/kind.ts";

/** Workloads become what they were before their release by Istio (contract W 5). */
export const kind = {
  type: "istio-rollback",
  words: ["Istio Rollback", "Istio 回滚"],
  schema: z.looseObject({
    cluster_id: text,
    cluster_source: text,
    namespace: text,
    timeout: minutes,
    // What forms show of before; what the workload itself says of it is what counts.
    targets: listOf(z.looseObject({ ...istioTarget, container_name: text, image: text })),
    target_options: listOf(z.looseObject({ workload_name: text })),
  }),
  namesNamespace: true,
  previews: true,
} as const satisfies JobKind;
