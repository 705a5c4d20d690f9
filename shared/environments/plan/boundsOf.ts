import { ApiError } from "../../base/errors/apiError.ts";
import { config } from "../../base/settings/config.ts";
import { type Bounds, boundsProblem, unbounded, whoMayAllow } from "../../kube/bounds.ts";
import { parseClusterKinds } from "../../kube/scopeRules.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { covers, defaultBoundary, everything } from "../../projects/rules/boundary.ts";
import { findBoundary } from "../../projects/store/boundaries.ts";
import { type EnvironmentRecord, findEnvironment } from "../store/environments.ts";

/** Who asks: a caller with what they hold. Jobs, schedules and copies act for a project and hold nothing. */
export interface Asking {
  grants?: { systemAdmin: boolean };
}

type Bounded = Pick<EnvironmentRecord, "projectKey" | "envKey" | "namespace" | "bounded" | "consent">;

/**
 * What a change of an environment may bring into its cluster: what the boundary of its project allows. A system
 * administrator's own call is bound by decisions 5.7 and 20.7 alone, and so is an environment that is older than
 * boundaries, until one is set (decisions 17.3).
 * @throws ApiError 403 when the boundary no longer names the environment's namespace
 */
export async function boundsOf(environment: Bounded, by: Asking): Promise<Bounds> {
  const set = await findBoundary(environment.projectKey);
  const systemRoles = by.grants?.systemAdmin === true;
  if (set === undefined && environment.bounded !== true) return { ...unbounded, systemRoles };
  const boundary = set ?? defaultBoundary;
  const enforced = boundary.podSecurity;
  const installation = parseClusterKinds(config().SLIPWAY_CLUSTER_SCOPED_KINDS);
  const extraKinds = boundary.clusterScopedKinds.filter((kind) => kind !== everything && !installation.includes(kind));
  if (systemRoles) return { ...unbounded, enforced, extraKinds, systemRoles };
  const lapsed = lapsedConsent(environment, boundary.namespaces);
  if (lapsed !== undefined) throw new ApiError(403, lapsed);
  const { clusterScopedKinds } = boundary;
  const refusedKinds = clusterScopedKinds.includes(everything)
    ? []
    : installation.filter((kind) => !clusterScopedKinds.includes(kind));
  return { podSecurity: enforced, refusedKinds, enforced, extraKinds };
}

/**
 * Holds that the environment's namespace is still the project's to change.
 * @throws ApiError 403 when it was named by the boundary and is no longer
 */
export async function requireConsent(environment: Bounded, by: Asking): Promise<void> {
  if (environment.consent === "boundary") await boundsOf(environment, by);
}

/** Why changes of the environment are refused, for users; undefined while they are not. */
export function lapsedConsent(
  { projectKey, envKey, namespace, consent }: Bounded,
  namespaces: readonly string[],
): string | undefined {
  if (consent !== "boundary" || namespaces.some((pattern) => covers(pattern, namespace))) return undefined;
  return `environment ${envKey} is in namespace ${namespace}, which the boundary of project ${projectKey} does not name any more; a system administrator can name it there again (PUT /openapi/system/projects/${projectKey}/boundary)`;
}

/** Why a job may not bring an object into an environment, and who can allow it; undefined when it may (decisions 17.3). */
export async function jobBoundsProblem(
  { projectKey, envKey }: Pick<EnvironmentRecord, "projectKey" | "envKey">,
  object: KubeObject,
): Promise<string | undefined> {
  const environment = await findEnvironment(projectKey, envKey);
  if (environment === undefined) return "the environment was deleted meanwhile";
  const problem = boundsProblem(object, await boundsOf(environment, {}));
  return problem && `${problem}; ${whoMayAllow(projectKey)}`;
}
