import * as z from "zod";
import { analysis } from "../../definition/analysis.ts";
import type { JobKind } from "../../definition/jobKind.ts";
import { requiredText } from "../../definition/wireFields.ts";
import { minutes } from "../k8s-canary-deploy/kind.ts";

/** What a canary deployment tried becomes what runs (contract W 5). */
export const kind = {
  type: "k8s-canary-release",
  words: ["Canary Release", "金丝雀发布"],
  schema: z.looseObject({
    from_job: requiredText.min(1, "must name the job of type k8s-canary-deploy that it releases"),
    analysis,
    release_timeout: minutes,
  }),
  namesNamespace: true,
  rollsOut: true,
  previews: true,
} as const satisfies JobKind;
