import { both, mustBeOneOf } from "../../base/store/conditions.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { check, create, named, update, type Write } from "../../base/store/writes.ts";
import type { CurrentChange, EnvironmentRecord } from "./environments.ts";

/** Takes a place at a base; loses "base" when that is no longer a base, sleeps or is being deleted. */
export function joinBase(projectKey: string, baseEnv: string, envKey: string): Write[] {
  const stands = mustBeOneOf("status", ["creating", "updating", "success", "failed", "unknown", "unstable"]);
  return [
    create({ ...keys.subEnvironment(projectKey, baseEnv, envKey), type: "sub-environment", envKey }),
    named("base", check(keys.environment(projectKey, baseEnv), both(mustBeOneOf("share", ["enabled"]), stands))),
  ];
}

/** Calls are led to a sub-environment from now on. @throws ConditionFailed when another change took it over */
export function setJoined({ projectKey, envKey, changeId }: CurrentChange): Write {
  return update(keys.environment(projectKey, envKey), { set: { joined: true } }, mustBeOneOf("changeId", [changeId]));
}

/** The sub-environments of a base in the order of their names, those that are being made or deleted among them. */
export async function subEnvironmentsOf(projectKey: string, baseEnv: string): Promise<Item<EnvironmentRecord>[]> {
  const { pk } = keys.environment(projectKey, baseEnv);
  const places = await table().query<{ envKey: string }>({ pk, prefix: "sub#", consistent: true });
  if (places.length === 0) return [];
  const found = await table().getMany<EnvironmentRecord>(
    places.map(({ envKey }) => keys.environment(projectKey, envKey)),
  );
  return found.filter((environment) => environment.baseEnv === baseEnv).sort((a, b) => (a.envKey < b.envKey ? -1 : 1));
}
