import { table } from "../../store/table.ts";
import { ConditionFailed } from "../../store/tableClient.ts";
import type { EnvironmentName } from "../requireEnvironment.ts";
import { failPlacedService } from "../store/deployedServices.ts";
import type { JobDeploy } from "../store/jobDeploys.ts";

/** A service that a failed deployment brought into the environment says why; one that was there before stays as it was. */
export async function failNewService(
  { projectKey, envKey }: EnvironmentName,
  { plan, originRevision }: JobDeploy,
  error: string,
): Promise<void> {
  if (originRevision !== 0) return;
  try {
    await table().write(failPlacedService({ projectKey, envKey }, plan.name, plan.revision, error));
  } catch (failure) {
    // It was removed or changed meanwhile.
    if (!(failure instanceof ConditionFailed)) throw failure;
  }
}
