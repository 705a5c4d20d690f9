import { type EnvironmentDetail, environmentDetail, isBusy, type Place } from "@slipway/client";
import { DeadlinePassed, WorkFailed } from "./endings.ts";
import type { Session } from "./session.ts";
import { Progress } from "./terminal/progress.ts";
import { shownStatus, table } from "./terminal/words.ts";
import { until } from "./until.ts";

/** Which environment it is, how it is, and why. */
export function headOf({ project_key, env_key, status, error }: EnvironmentDetail): string[] {
  return [`${project_key}/${env_key}  ${shownStatus(status)}`, error].filter(Boolean);
}

export function shownEnvironment(detail: EnvironmentDetail): string[] {
  const rows = detail.services.map((service) => [
    `  ${service.service_name}`,
    shownStatus(service.status),
    service.error || service.containers.map(({ image }) => image).join(", "),
  ]);
  return [...headOf(detail), ...(rows.length === 0 ? [] : table(["  SERVICE", "STATUS", "IMAGES"], rows).split("\n"))];
}

/** What changes while people wait: one line a service, each as wide as it is, so that only what changed is another line. */
export function shownProgress({ services }: EnvironmentDetail): string[] {
  return services.map(({ service_name, status, error, containers }) => {
    const images = containers.map(({ image }) => image).join(", ");
    return [service_name, shownStatus(status), error || images].filter(Boolean).join("  ");
  });
}

/** Shows an environment while people wait for it. */
export function showProgress(): (detail: EnvironmentDetail) => void {
  const progress = new Progress();
  return (detail) => progress.show(shownProgress(detail));
}

/** Waits until the environment takes a change. @throws DeadlinePassed */
export async function untilChangeable(session: Session, place: Place, seconds: number): Promise<void> {
  await until(`${place.project}/${place.env} taking another change`, seconds, async () => {
    return isBusy(await environmentDetail(session.slipway, place)) ? undefined : true;
  });
}

/** `succeeded` is a service without pods, or one whose jobs are done. */
const isInOrder: ReadonlySet<string> = new Set(["running", "succeeded"]);

/**
 * Waits until all services run.
 * @param show is called with each state that is seen
 * @throws WorkFailed when one fails @throws DeadlinePassed
 */
export async function untilRunning(
  session: Session,
  place: Place,
  seconds: number,
  show: (detail: EnvironmentDetail) => void,
): Promise<void> {
  try {
    await until(`that all of ${place.project}/${place.env} runs`, seconds, async () => {
      const detail = await environmentDetail(session.slipway, place);
      show(detail);
      if (isBusy(detail)) return undefined;
      const failed = detail.services.filter(({ status, error }) => status === "failed" || error !== "");
      if (detail.stored_status === "failed" || failed.length > 0) {
        const reasons = failed.map(({ service_name, error }) => `\n  ${service_name}: ${error || "failed"}`).join("");
        throw new WorkFailed(`${place.project}/${place.env} failed${detail.error && `: ${detail.error}`}${reasons}`);
      }
      return detail.services.every(({ status }) => isInOrder.has(status)) ? detail : undefined;
    });
  } catch (error) {
    if (error instanceof DeadlinePassed)
      throw new DeadlinePassed(`${error.message}; \`slipway status ${place.env} -p ${place.project}\` shows it`);
    throw error;
  }
}
