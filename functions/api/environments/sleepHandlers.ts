import { changeSleep } from "../../../shared/environments/sleep/changeSleep.ts";
import { readSleepSchedule, saveSleepSchedule } from "../../../shared/environments/sleep/sleepSchedule.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import type { olderRoutes } from "./olderRoutes.ts";
import type { sleepForms } from "./sleepRoutes.ts";

export function sleepFormHandlers(production: boolean): Handlers<ReturnType<typeof sleepForms>> {
  const at = (projectKey: string, envKey: string) => ({ projectKey, envKey, production });
  return {
    sleep: async ({ params, query, caller }) => {
      await changeSleep("sleep", at(query.projectKey, params.envName), caller);
      return success;
    },
    wake: async ({ params, query, caller }) => {
      await changeSleep("wake", at(query.projectKey, params.envName), caller);
      return success;
    },
    readSleepSchedule: async ({ params, query }) => {
      const settings = await readSleepSchedule(at(query.projectKey, params.envName));
      const { sleepCron, awakeCron, timeZone, enabled } = settings;
      return { sleep_cron: sleepCron, awake_cron: awakeCron, time_zone: timeZone, enabled };
    },
    saveSleepSchedule: async ({ params, query, body, caller }) => {
      const { sleep_cron: sleepCron, awake_cron: awakeCron, time_zone: timeZone, enabled } = body;
      const settings = { sleepCron, awakeCron, timeZone, enabled };
      await saveSleepSchedule(at(query.projectKey, params.envName), settings, caller);
      return success;
    },
  };
}

export const sleepEnvironmentByOlderPath: Handlers<typeof olderRoutes>["sleepEnvironmentByOlderPath"] = async ({
  params,
  query,
  caller,
}) => {
  const name = { projectKey: query.projectKey, envKey: params.envName, production: false };
  await changeSleep(query.action === "enable" ? "sleep" : "wake", name, caller);
  return success;
};
