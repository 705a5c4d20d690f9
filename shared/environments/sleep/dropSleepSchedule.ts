import { invokeLater } from "../../aws/functions/invokeLater.ts";
import { findScheduled, type SchedulePlace } from "../store/sleepSchedules.ts";

/** Has the schedules of an environment that is being deleted taken away (contract P 17.1); may be repeated. */
export async function dropSleepSchedule({ projectKey, envKey, environmentId }: SchedulePlace): Promise<void> {
  const found = await findScheduled({ projectKey, envKey }, { consistent: true });
  if (found?.schedule === undefined) return;
  await invokeLater("sleep-schedule", { projectKey, envKey, environmentId });
}
