import * as z from "zod";
import type { JobKind } from "../jobKind.ts";
import { requiredText } from "../wireFields.ts";
import { analysis } from "./analysis.ts";
import { minutes } from "./canaryDeploy.ts";

/** What a canary deployment tried becomes what runs (contract W 5). */
export const canaryRelease = {
  type: "k8s-canary-release",
  words: ["Canary Release", "金丝雀发布"],
  schema: z.looseObject({
    from_job: requiredText.min(1, "must name the job of type k8s-canary-deploy that it releases"),
    analysis,
    release_timeout: minutes,
  }),
  namesNamespace: true,
  rollsOut: true,
} as const satisfies JobKind;
