import * as z from "zod";
import { analysis } from "../../definition/analysis.ts";
import type { JobKind } from "../../definition/jobKind.ts";
import { filledText, listOf, text, whole as wholeNumber } from "../../definition/wireFields.ts";
import { minutes } from "../k8s-canary-deploy/kind.ts";

const whole = "must be a whole number of per cent, from 1 to 100";
const percentage = "must be a whole number of per cent, from 1 to 100; 0 or nothing: as the weight";

/** What leads calls to a workload; a job that names none of it finds it. */
export const istioTarget = {
  workload_name: filledText,
  virtual_service_name: text,
  host: text,
};

/** One step of a release that shifts calls in a mesh (contract W 5, decisions 12.4); the last makes the workload new. */
export const kind = {
  type: "istio-release",
  words: ["Istio Release", "Istio 发布"],
  schema: z.looseObject({
    cluster_id: text,
    cluster_source: text,
    namespace: text,
    analysis,
    registry_id: text,
    // The first step; empty in itself.
    from_job: text,
    timeout: minutes,
    weight: z.int(whole).min(1, whole).max(100, whole),
    replica_percentage: z.int(percentage).min(0, percentage).max(100, percentage).nullish(),
    targets: listOf(
      z.looseObject({
        ...istioTarget,
        ...{ container_name: filledText, image: text, current_replica: wholeNumber, target_replica: wholeNumber },
      }),
    ),
    // What a start form may choose from; it is checked where it is chosen.
    target_options: listOf(z.looseObject({ workload_name: text, container_name: text })),
  }),
  namesNamespace: true,
  rollsOut: true,
  previews: true,
} as const satisfies JobKind;
