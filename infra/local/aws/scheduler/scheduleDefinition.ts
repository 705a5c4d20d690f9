import * as z from "zod";

const TARGET = /^arn:aws[^:]*:(?:lambda:[^:]*:\d{12}:function|states:[^:]*:\d{12}:stateMachine):.+$/;

/** What CreateSchedule and UpdateSchedule take and GetSchedule gives back. Dates are Unix seconds. */
export const scheduleDefinition = z.object({
  ScheduleExpression: z.string().min(1).max(256),
  ScheduleExpressionTimezone: z.string().min(1).max(50).default("UTC"),
  StartDate: z.number().optional(),
  EndDate: z.number().optional(),
  Description: z.string().max(512).optional(),
  State: z.enum(["ENABLED", "DISABLED"]).default("ENABLED"),
  ActionAfterCompletion: z.enum(["NONE", "DELETE"]).default("NONE"),
  FlexibleTimeWindow: z.object({
    Mode: z.enum(["OFF", "FLEXIBLE"]),
    MaximumWindowInMinutes: z.int().min(1).max(1440).optional(),
  }),
  Target: z.object({
    Arn: z.string().regex(TARGET, "a function or a state machine is expected"),
    RoleArn: z.string().min(1),
    Input: z.string().refine(isJson, "JSON is expected").optional(),
    RetryPolicy: z
      .object({
        MaximumEventAgeInSeconds: z.int().min(60).max(86_400).optional(),
        MaximumRetryAttempts: z.int().min(0).max(185).optional(),
      })
      .optional(),
  }),
});

export type ScheduleDefinition = z.infer<typeof scheduleDefinition>;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
