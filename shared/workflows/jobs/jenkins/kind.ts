import * as z from "zod";
import type { JobKind } from "../../definition/jobKind.ts";
import { filledText, listOf, scalar, text } from "../../definition/wireFields.ts";

const jenkinsJobs = listOf(
  z.looseObject({
    // Of a job in a folder `<folder>/<job>`.
    job_name: filledText,
    parameters: listOf(z.looseObject({ name: filledText, value: scalar.nullish(), type: text, source: text })),
  }),
);

/** Jobs of a Jenkins server are built with parameters, each as a job task; `job_options` are what a start form offers. */
export const kind = {
  type: "jenkins",
  words: ["Jenkins Job", "Jenkins 任务"],
  schema: z.looseObject({
    id: filledText,
    jobs: jenkinsJobs.refine((jobs) => jobs.length > 0, "must name a job"),
    job_options: listOf(z.looseObject({})),
  }),
  uses: { kind: "jenkins", field: "id" },
  tells: true,
} as const satisfies JobKind;
