import { notFound } from "../../base/errors/apiError.ts";
import type { Item } from "../../base/store/tableClient.ts";
import type { WorkloadName } from "../../manifest/replicas.ts";
import { requireUpdatable } from "../change/requireUpdatable.ts";
import { EnvironmentProblem } from "../failures.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import type { EnvironmentRecord, EnvironmentService, WholeEnvironment } from "../store/environments.ts";

/** A service in its environment, as it was read. */
export interface Standing {
  environment: Item<EnvironmentRecord>;
  service: Item<EnvironmentService>;
}

/** A service of an environment. @throws ApiError 404 for either */
export async function requireService(
  name: EnvironmentName,
  service: string,
  options?: { consistent?: boolean },
): Promise<Standing> {
  const whole = await requireEnvironment(name, options);
  const found = whole.services.find((candidate) => candidate.name === service);
  if (found === undefined) throw notFound(`service ${service} in environment ${name.envKey}`);
  return { environment: whole.environment, service: found };
}

/**
 * The service that holds a workload, in an environment that may be changed now; without a name the one that applied it.
 * @throws EnvironmentProblem for a wrong state, and when no such service holds the workload
 */
export function serviceWithWorkload(
  { environment, services }: WholeEnvironment,
  workload: WorkloadName,
  service?: string,
): Standing {
  requireUpdatable(environment);
  if (service !== undefined && !services.some(({ name }) => name === service))
    throw new EnvironmentProblem(`service ${service} does not exist in environment ${environment.envKey}`);
  const holds = ({ workloads }: EnvironmentService) =>
    workloads.some(({ kind, name }) => kind === workload.kind && name === workload.name);
  const found = services.find((candidate) => holds(candidate) && (service ?? candidate.name) === candidate.name);
  if (found === undefined)
    throw new EnvironmentProblem(
      `${workload.kind} "${workload.name}" is not part of ${service === undefined ? "a" : "the"} service ${service ?? `of environment ${environment.envKey}`}`,
    );
  return { environment, service: found };
}
