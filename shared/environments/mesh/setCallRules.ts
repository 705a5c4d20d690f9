import { mustHaveVersion } from "../../base/store/conditions.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed } from "../../base/store/tableClient.ts";
import type { CallRules } from "../../kube/mesh/familyObjects.ts";
import type { Actor } from "../change/createEnvironment.ts";
import { EnvironmentProblem, reasonOf } from "../failures.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import { changeEnvironment, type EnvironmentRecord } from "../store/environments.ts";
import { subEnvironmentsOf } from "../store/subEnvironments.ts";
import { refuseInState } from "./changeShare.ts";
import { enablingPath } from "./enablingPath.ts";
import { syncRoutes } from "./syncRoutes.ts";

const maxTries = 5;

/**
 * Sets where calls without a mark go in a base and its sub-environments, and leads them so; where the routes cannot be set,
 * what was before counts again. May be repeated.
 * @throws ApiError 404 unknown environment; EnvironmentProblem for one that is no base or in a wrong state, for others than
 * its sub-environments, and when the routes cannot be set; ClusterError
 */
export async function setCallRules(name: EnvironmentName, rules: CallRules, actor: Pick<Actor, "name">): Promise<void> {
  const before = await note(name, () => rules, actor);
  try {
    await syncRoutes(before);
  } catch (error) {
    if (reasonOf(error) === undefined) throw error;
    const former = before.calls ?? {};
    await note(name, ({ calls }) => (isSame(calls, rules) ? former : calls), actor).catch(() => undefined);
    await syncRoutes(before).catch(() => undefined);
    throw error;
  }
}

const isSame = (one: CallRules | undefined, other: CallRules) => JSON.stringify(one) === JSON.stringify(other);

/** @returns the base as it was before */
async function note(
  name: EnvironmentName,
  rulesOf: (base: EnvironmentRecord) => CallRules | undefined,
  actor: Pick<Actor, "name">,
): Promise<EnvironmentRecord> {
  for (let tries = 1; ; tries++) {
    const { environment } = await requireEnvironment(name);
    const rules = rulesOf(environment) ?? {};
    await requireFamily(environment, rules);
    try {
      const set = { calls: rules, updatedBy: actor.name };
      await table().write(changeEnvironment(environment, set, mustHaveVersion(environment.version)));
      return environment;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      if (tries === maxTries)
        throw new EnvironmentProblem(`environment ${name.envKey} is changed all the time by others; try again`);
    }
  }
}

async function requireFamily(base: EnvironmentRecord, { weights = [], matches = [] }: CallRules): Promise<void> {
  const { projectKey, envKey } = base;
  if (base.share !== "enabled")
    throw new EnvironmentProblem(`environment ${envKey} is not a base; ${enablingPath(base)} makes it one`);
  refuseInState(base);
  const subs = (await subEnvironmentsOf(projectKey, envKey)).filter(
    ({ joined, status }) => joined === true && status !== "deleting",
  );
  const known = [envKey, ...subs.map((sub) => sub.envKey)];
  const lost = [...weights, ...matches].find((one) => !known.includes(one.envKey));
  if (lost !== undefined)
    throw new EnvironmentProblem(
      `environment ${lost.envKey} is neither ${envKey} nor one of its sub-environments; calls can go to: ${known.join(", ")}`,
    );
}
