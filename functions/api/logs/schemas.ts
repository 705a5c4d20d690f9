import * as z from "zod";
import { goDuration } from "../../../shared/base/common/goDuration.ts";
import { filled } from "../../../shared/http/schemas.ts";

const defaultTails = 10;

/** Contract P 10.2: what is no number counts as not given. */
const tails = z
  .string()
  .optional()
  .transform((text, context) => {
    if (text === undefined || !/^[+-]?\d{1,15}$/.test(text)) return defaultTails;
    const lines = Number(text);
    if (lines < 0) context.addIssue({ code: "custom", message: "must be 0 or more" });
    return lines;
  })
  .meta({ description: "How many of the last lines to begin with; 10 by default. Also read from `tailLines`" });

/** Whole seconds, 1 at least. */
const since = z
  .string()
  .optional()
  .transform((text, context) => {
    if (text === undefined || text === "") return undefined;
    const seconds = goDuration(text);
    if (seconds !== undefined && seconds > 0) return Math.ceil(seconds);
    const message = `invalid since: ${JSON.stringify(text.slice(0, 64))} is no duration above zero such as 90s, 5m or 1h30m`;
    context.addIssue({ code: "custom", message });
    return undefined;
  })
  .meta({ description: "Only lines that are not older than this, for example `90s`, `5m` or `1h30m`" });

const taskId = z
  .string()
  .regex(/^\d{1,12}$/, "must be the number of a task, a whole number")
  .transform(Number);

export const jobLogParams = z.object({ workflowName: z.string(), taskID: taskId, jobName: z.string() });

/** Contract W 14: what is no number is 10. */
const lines = z
  .string()
  .transform((text) => (/^\d{1,15}$/.test(text) ? Number(text) : defaultTails))
  .meta({ description: "How many of the last lines to begin with; 10 by default" });

export const followedJobLogParams = jobLogParams.extend({ lines });

export const containerLogParams = z.object({ podName: z.string(), containerName: z.string() });

export const containerLogQuery = z.object({
  projectKey: filled("projectKey", 63),
  envName: filled("envName"),
  tails,
  since,
});

export const testLogParams = z.object({ testName: z.string(), taskID: taskId });
/** In place of the reference's id it takes the name, by which all calls here know a code scan (contract W 12.3). */
export const scanLogParams = z.object({ scanName: z.string(), taskID: taskId });
export const wholeLogQuery = z.object({ projectKey: filled("projectKey", 63) });
export const followedLogQuery = wholeLogQuery.extend({ tails });

export const keptFiles = z.object({
  files: z.array(
    z.object({
      name: z.string().meta({
        description: "`html/…` of an HTML report, `archive/…` of a test or a code scan; a folder is a `.tar.gz`",
      }),
      size_bytes: z.int(),
      url: z.string().meta({ description: "Gives the file to whoever has it, until `expires_at`" }),
      expires_at: z.int().meta({ description: "Unix seconds" }),
    }),
  ),
});
