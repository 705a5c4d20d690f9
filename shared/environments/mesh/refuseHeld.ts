import { ApiError } from "../../errors/apiError.ts";
import { type EnvironmentRecord, findWholeEnvironment } from "../store/environments.ts";
import { subEnvironmentsOf } from "../store/subEnvironments.ts";

/**
 * A service that sub-environments have stays in their base, where unmarked calls go (contract P 5.5).
 * @throws ApiError 6094 with the sub-environments of each service
 */
export async function refuseHeld(base: EnvironmentRecord, services: readonly string[]): Promise<void> {
  const subs = await subEnvironmentsOf(base.projectKey, base.envKey);
  const held = new Map<string, string[]>();
  for (const { projectKey, envKey } of subs) {
    const whole = await findWholeEnvironment(projectKey, envKey, { consistent: true });
    for (const { name } of whole?.services ?? [])
      if (services.includes(name)) held.set(name, [...(held.get(name) ?? []), envKey]);
  }
  if (held.size === 0) return;
  const sentences = [...held].map(([name, envKeys]) => `service ${name} is in sub-environment ${envKeys.join(", ")}`);
  throw new ApiError(6094, `${sentences.join("; ")}; remove it there first`, { extra: Object.fromEntries(held) });
}
