import { ApiError } from "../../../base/errors/apiError.ts";
import { removeServices } from "../../../environments/change/removeServices.ts";
import { reasonOf } from "../../../environments/failures.ts";
import { requireEnvironment } from "../../../environments/requireEnvironment.ts";
import { failed, immediate, type JobRun, passed } from "../runner.ts";
import type { OfflineRun } from "./planner.ts";

/**
 * Takes services out of an environment with their objects, one after another; each says what became of it (contract W 5).
 * A service that is not there is out already.
 */
export const runner = immediate(async (run) => {
  const { env, production, services } = run.run as unknown as OfflineRun;
  const name = { projectKey: run.task.owner.projectKey, envKey: env, production };
  const { environment } = await requireEnvironment(name);
  const events = [];
  for (const service of services) events.push(eventOf(service, await offline(run, name, service)));
  const result = { namespace: environment.namespace, service_events: events };
  const errors = events
    .filter(({ error }) => error !== "")
    .map(({ service_name, error }) => `${service_name}: ${error}`);
  return errors.length === 0 ? passed({ result }) : failed(errors.join("; "), { result });
});

function eventOf(service_name: string, error: string | undefined) {
  return { service_name, status: error === undefined ? "passed" : "failed", error: error ?? "" };
}

async function offline(
  { task }: JobRun,
  name: { projectKey: string; envKey: string; production: boolean },
  service: string,
): Promise<string | undefined> {
  try {
    await removeServices(name, [service], { keepObjects: false }, task.creator);
    return undefined;
  } catch (error) {
    const reason = error instanceof ApiError ? error.description : reasonOf(error);
    if (reason === undefined) throw error;
    return reason;
  }
}
