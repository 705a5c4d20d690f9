/** A schedule as it is stored, in the words of EventBridge Scheduler. */
export interface ScheduleDefinition {
  ScheduleExpression: string;
  /** UTC when absent. */
  ScheduleExpressionTimezone?: string;
  State: "ENABLED" | "DISABLED";
  /** Whether a schedule that will never be due again goes away. */
  ActionAfterCompletion?: "NONE" | "DELETE";
  Target: {
    /** The function's name; in data of earlier versions its ARN. */
    Arn: string;
    Input: string;
    RetryPolicy?: { MaximumEventAgeInSeconds?: number };
  };
}
