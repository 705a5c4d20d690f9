import * as z from "zod";
import type { JobKind } from "../jobKind.ts";
import { listOf, text } from "../wireFields.ts";
import { minutes } from "./canaryDeploy.ts";
import { istioTarget } from "./istioRelease.ts";

/** Workloads become what they were before their release by Istio (contract W 5). */
export const istioRollback = {
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
} as const satisfies JobKind;
