import * as z from "zod";
import { analysis } from "../../definition/analysis.ts";
import type { JobKind } from "../../definition/jobKind.ts";
import { requiredText } from "../../definition/wireFields.ts";

/** What a blue-green deployment started beside becomes what runs (decisions 12.2). */
export const kind = {
  type: "k8s-blue-green-release",
  words: ["Blue-green Release", "蓝绿发布"],
  schema: z.looseObject({
    from_job: requiredText.min(1, "must name the job of type k8s-blue-green-deploy that it releases"),
    analysis,
  }),
  changesEnvironment: true,
  rollsOut: true,
  previews: true,
} as const satisfies JobKind;
