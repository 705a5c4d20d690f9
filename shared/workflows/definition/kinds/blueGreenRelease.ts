import * as z from "zod";
import type { JobKind } from "../jobKind.ts";
import { requiredText } from "../wireFields.ts";
import { analysis } from "./analysis.ts";

/** What a blue-green deployment started beside becomes what runs (decisions 12.2). */
export const blueGreenRelease = {
  type: "k8s-blue-green-release",
  words: ["Blue-green Release", "蓝绿发布"],
  schema: z.looseObject({
    from_job: requiredText.min(1, "must name the job of type k8s-blue-green-deploy that it releases"),
    analysis,
  }),
  changesEnvironment: true,
  rollsOut: true,
} as const satisfies JobKind;
