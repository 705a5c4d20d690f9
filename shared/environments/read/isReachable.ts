import type { ResolveOwner } from "../../kube/apply/checkOwnership.ts";
import { environmentLabel } from "../../kube/apply/marks.ts";
import type { EnvironmentRecord } from "../store/environments.ts";

/**
 * Whether an environment may list, read and change an object of its namespace (decisions 17.4): its own, and in a
 * namespace that belongs to the project one without a label or one of an environment that no longer exists.
 */
export async function isReachable(
  { environmentId, guest }: Pick<EnvironmentRecord, "environmentId" | "guest">,
  labels: Readonly<Record<string, string>> | undefined,
  resolveOwner: ResolveOwner,
): Promise<boolean> {
  const owner = labels?.[environmentLabel];
  if (owner === environmentId) return true;
  return guest !== true && (owner === undefined || (await resolveOwner(owner)) === undefined);
}

/** @param what an object, as messages name it */
export function guestSentence(what: string): string {
  return `${what} is no object of this environment, whose namespace belongs to another project`;
}
