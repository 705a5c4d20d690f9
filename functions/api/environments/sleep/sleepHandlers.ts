import type { Actor } from "../../../../shared/environments/change/createEnvironment.ts";
import { overtaken, startStepChange } from "../../../../shared/environments/change/startStepChange.ts";
import { EnvironmentBusy, EnvironmentProblem, failingWith } from "../../../../shared/environments/failures.ts";
import { type EnvironmentName, requireEnvironment } from "../../../../shared/environments/requireEnvironment.ts";
import { isBeingChanged, type SleepEvent, sleepRefusal } from "../../../../shared/environments/rules/status.ts";
import { readSleepSchedule, saveSleepSchedule } from "../../../../shared/environments/sleep/sleepSchedule.ts";
import { requireNoRollout } from "../../../../shared/environments/workloads/requireNoRollout.ts";
import type { Handlers } from "../../../../shared/http/createApi.ts";
import { success } from "../../../../shared/http/schemas.ts";
import type { olderRoutes } from "../olderRoutes.ts";
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

/**
 * Puts an environment to sleep or wakes it (contract P 14.3, decisions 6.7): accepted here, done by the state machine.
 * @throws ApiError 404 unknown environment; 6076 in a wrong state, and when another change of it was faster
 */
async function changeSleep(event: SleepEvent, name: EnvironmentName, actor: Actor): Promise<void> {
  const { environment, services } = await requireEnvironment(name);
  await failingWith(6076, async () => {
    const refused = sleepRefusal(event, environment);
    if (refused !== undefined)
      throw isBeingChanged(environment) ? new EnvironmentBusy(refused) : new EnvironmentProblem(refused);
    await requireNoRollout(
      environment,
      services.flatMap(({ workloads }) => workloads),
    );
    if (!(await startStepChange(event, environment, actor.name))) throw new EnvironmentBusy(overtaken);
  });
}
