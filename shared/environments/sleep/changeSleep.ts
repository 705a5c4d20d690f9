import { beginStepChange, overtaken } from "../beginStepChange.ts";
import type { Actor } from "../createEnvironment.ts";
import { EnvironmentBusy, EnvironmentProblem, failingWith } from "../failures.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import { requireNoRollout } from "../requireNoRollout.ts";
import { isBeingChanged, type SleepEvent, sleepRefusal } from "../rules/status.ts";

/**
 * Puts an environment to sleep or wakes it (contract P 14.3, decisions 6.7): accepted here, done by the state machine.
 * @throws ApiError 404 unknown environment; 6076 in a wrong state, and when another change of it was faster
 */
export async function changeSleep(event: SleepEvent, name: EnvironmentName, actor: Actor): Promise<void> {
  const { environment, services } = await requireEnvironment(name);
  await failingWith(6076, async () => {
    const refused = sleepRefusal(event, environment);
    if (refused !== undefined)
      throw isBeingChanged(environment) ? new EnvironmentBusy(refused) : new EnvironmentProblem(refused);
    await requireNoRollout(
      environment,
      services.flatMap(({ workloads }) => workloads),
    );
    if (!(await beginStepChange(event, environment, actor.name))) throw new EnvironmentBusy(overtaken);
  });
}
