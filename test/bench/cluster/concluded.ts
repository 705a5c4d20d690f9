import { setTimeout as sleep } from "node:timers/promises";
import { findEnvironment } from "../../../shared/environments/store/environments.ts";

/**
 * Waits until an environment's change has succeeded. Looks into the table: asking through the API would be work beside the
 * work that is measured.
 */
export async function concluded(project: string, envKey: string): Promise<void> {
  for (const endsAt = Date.now() + 300_000; Date.now() < endsAt; await sleep(10)) {
    const environment = await findEnvironment(project, envKey);
    if (environment?.status === "success") return;
    if (environment?.status === "failed") throw new Error(`environment ${envKey} failed: ${environment.error}`);
  }
  throw new Error(`environment ${envKey} did not come to an end`);
}
