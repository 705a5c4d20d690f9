import { ApiError } from "../../base/errors/apiError.ts";
import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { log } from "../../base/settings/log.ts";
import { mustBeOneOf, mustHaveVersion } from "../../base/store/conditions.ts";
import type { ServiceRemoval } from "../../base/store/dueWork.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed } from "../../base/store/tableClient.ts";
import { relateService } from "../../manifest/variables/environmentVariables.ts";
import { removeServiceObjects } from "../apply/removeServiceObjects.ts";
import { keptDefinitions } from "../clusterObjects/keptDefinitions.ts";
import { releaseObjects } from "../clusterObjects/releaseObjects.ts";
import { EnvironmentProblem, failingWith, reasonOf } from "../failures.ts";
import { settleRoutes } from "../mesh/settleRoutes.ts";
import type { PlanWarning } from "../plan/planServices.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import { concluded } from "../rules/conclusion.ts";
import {
  changeEnvironment,
  type EnvironmentRecord,
  type EnvironmentService,
  findEnvironment,
  findEnvironmentService,
  findWholeEnvironment,
  markServiceRemoving,
  removeServiceItems,
} from "../store/environments.ts";
import { removeImages } from "../store/imageUses.ts";
import { subEnvironmentsOf } from "../store/subEnvironments.ts";
import { removeServiceWaits } from "../waits/cancelReadinessWaits.ts";
import { requireNoRollout } from "../workloads/requireNoRollout.ts";
import type { Actor } from "./createEnvironment.ts";
import { requireUpdatable } from "./requireUpdatable.ts";

const maxAtOnce = 48;

/**
 * Takes services out of an environment and, unless told otherwise, their objects out of the cluster (contract P 5.5).
 * Names that are not in the environment are ignored. What cannot be deleted now the reconciler deletes later.
 * @returns what stays, and why: what says so itself, and definitions that objects of others are of
 * @throws ApiError 404 unknown environment; 6076 wrong state
 */
export async function removeServices(
  name: EnvironmentName,
  services: readonly string[],
  { keepObjects, deleteCrds = false }: { keepObjects: boolean; deleteCrds?: boolean | undefined },
  actor: Actor,
): Promise<PlanWarning[]> {
  const { environment, services: present } = await requireEnvironment(name);
  const going = present.filter((service) => services.includes(service.name));
  const leaving = going.map((service) => service.name);
  if (leaving.length === 0) return [];
  if (environment.share !== undefined) await refuseHeld(environment, leaving);
  const expected = keepObjects || deleteCrds ? [] : await keptDefinitions(environment, going);
  await failingWith(6076, async () => {
    requireUpdatable(environment);
    await requireNoRollout(
      environment,
      going.flatMap(({ workloads }) => workloads),
    );
    await enableReconciler();
    if (keepObjects) await releaseObjects(environment, going);
    let current = environment;
    for (let at = 0; at < leaving.length; at += maxAtOnce) {
      const part = leaving.slice(at, at + maxAtOnce);
      const globalVariables = part.reduce(
        (globals, service) => relateService(globals, service, []),
        current.globalVariables,
      );
      await table().write(
        changeEnvironment(
          current,
          { globalVariables, updatedBy: actor.name, ...statusWithout(environment, present, leaving) },
          mustHaveVersion(current.version),
        ),
        ...part.flatMap((service) =>
          keepObjects ? removeServiceItems(name, service) : [markServiceRemoving(name, service, { deleteCrds })],
        ),
      );
      current = { ...current, globalVariables, version: current.version + 1 };
    }
  });
  await removeServiceWaits(environment, leaving);
  for (const { name: service, containers } of going) await removeImages({ ...environment, service }, containers);
  if (keepObjects) return [];
  const kept = (await Promise.all(leaving.map((service) => removeNow({ ...name, service })))).flat();
  const warned = new Set(expected.map(({ message }) => message));
  const others = kept.filter((message) => !warned.has(message));
  return [...expected, ...others.map((message) => ({ code: "object_kept" as const, message, line: 0 }))];
}

/** Of an environment that failed because of services that leave: what those that stay say. */
function statusWithout(
  { status, asleep }: EnvironmentRecord,
  present: readonly EnvironmentService[],
  leaving: readonly string[],
): Partial<Pick<EnvironmentRecord, "status" | "error">> {
  const problems = present.map(({ name, error, notReady = "" }) => ({ name, error: error || notReady }));
  const isToBlame = problems.some(({ name, error }) => leaving.includes(name) && error !== "");
  if (status !== "failed" || asleep === true || !isToBlame) return {};
  const { event, error } = concluded(
    [],
    problems.filter(({ name }) => !leaving.includes(name)),
  );
  return { status: event === "finish" ? "success" : "failed", error };
}

/** Tries at once; what fails is left to the reconciler and logged. @returns why objects stay */
async function removeNow(removal: ServiceRemoval): Promise<string[]> {
  try {
    return await finishServiceRemoval(removal);
  } catch (error) {
    if (reasonOf(error) === undefined) throw error;
    await enableReconciler();
    log.warn("service objects not deleted yet", { ...removal, internal: reasonOf(error) });
    return [];
  }
}

/** Deletes the objects of a service on its way out, then its items; may be repeated. @returns why objects stay, each named */
export async function finishServiceRemoval({ projectKey, envKey, service }: ServiceRemoval): Promise<string[]> {
  const [environment, record] = await Promise.all([
    findEnvironment(projectKey, envKey),
    findEnvironmentService(projectKey, envKey, service),
  ]);
  if (environment === undefined || record?.removing !== true) return [];
  const kept = await removeServiceObjects(environment, service, record.deleteCrds);
  const unrouted = await settleRoutes(environment);
  if (unrouted !== undefined) throw new EnvironmentProblem(unrouted);
  try {
    await table().write(...removeServiceItems({ projectKey, envKey }, service, mustBeOneOf("removing", [true])));
  } catch (error) {
    // Another process removed it, and it may have been added again since.
    if (!(error instanceof ConditionFailed)) throw error;
  }
  return kept;
}

/**
 * A service that sub-environments have stays in their base, where unmarked calls go (contract P 5.5).
 * @throws ApiError 6094 with the sub-environments of each service
 */
async function refuseHeld(base: EnvironmentRecord, services: readonly string[]): Promise<void> {
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
