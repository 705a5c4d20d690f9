import { mapBounded } from "../base/common/mapBounded.ts";
import { ApiError } from "../base/errors/apiError.ts";
import { madeForAnnotation, projectLabel } from "../kube/apply/marks.ts";
import type { LiveObject } from "../kube/client/ClusterClient.ts";
import { covers, projectNaming } from "../projects/rules/boundary.ts";
import { findNamedNamespaces } from "../projects/store/boundaries.ts";
import type { Asking } from "./plan/boundsOf.ts";
import { type EnvironmentRecord, environmentsOnCluster, findEnvironment } from "./store/environments.ts";

/** How an environment came to its namespace, as its record keeps it. */
export type NamespaceConsent = Required<Pick<EnvironmentRecord, "consent">> & Pick<EnvironmentRecord, "guest">;

type Place = Pick<EnvironmentRecord, "projectKey" | "namespace">;

/**
 * Holds that no other project's boundary names the namespace, before it is looked for or made (decisions 17.1). A system
 * administrator may use it all the same.
 * @throws ApiError 403 naming that project
 */
export async function requireUnnamed({ projectKey, namespace }: Place, by: Asking): Promise<void> {
  if (by.grants?.systemAdmin === true) return;
  const other = projectNaming(namespace, (await findNamedNamespaces()).byProject, projectKey);
  if (other !== undefined) throw belongsToOther(namespace, other);
}

/**
 * Decides whether a new environment may use a namespace, as it is in the cluster: one that Slipway made for an environment
 * belongs to its project, any other needs the consent of a system administrator, by their own call or by the project's
 * boundary (decisions 17.1). Where the project has an environment already, it has that consent.
 * @throws ApiError 403 with the sentence who can allow it
 */
export async function requireNamespace(
  environment: EnvironmentRecord,
  { metadata: { annotations = {}, labels = {} } }: LiveObject,
  by: Asking,
): Promise<NamespaceConsent> {
  const { projectKey, clusterId, namespace } = environment;
  const madeFor = annotations[madeForAnnotation];
  if (madeFor === environment.environmentId) return { consent: "made" };
  const madeForProject = madeFor === undefined ? undefined : labels[projectLabel];
  const [others, { byProject }] = await Promise.all([admittedTo(clusterId, namespace), findNamedNamespaces()]);
  const own = others.find((one) => one.projectKey === projectKey);
  const owner =
    madeForProject ?? own?.projectKey ?? others[0]?.projectKey ?? projectNaming(namespace, byProject, projectKey);
  const guest = owner !== undefined && owner !== projectKey ? { guest: true as const } : {};
  if (by.grants?.systemAdmin === true) return { consent: "administrator", ...guest };
  if (own !== undefined && own.consent !== "boundary")
    return { consent: own.consent ?? "administrator", ...(own.guest && { guest: true }) };
  if (guest.guest) throw belongsToOther(namespace, owner ?? "");
  if (madeForProject === projectKey) return { consent: "made" };
  if (byProject.get(projectKey)?.some((pattern) => covers(pattern, namespace))) return { consent: "boundary" };
  throw new ApiError(
    403,
    `namespace ${namespace} exists already, and Slipway did not make it for project ${projectKey}; a system administrator can create the environment, or name the namespace in the project's boundary (PUT /openapi/system/projects/${projectKey}/boundary)`,
  );
}

/** Environments in a namespace, without those that ask for it at this moment, the one in question among them. */
async function admittedTo(clusterId: string, namespace: string): Promise<EnvironmentRecord[]> {
  const all = await environmentsOnCluster(clusterId, namespace);
  const records = await mapBounded(all, 8, ({ projectKey, envKey }) => findEnvironment(projectKey, envKey));
  return records.filter((one) => one !== undefined).filter((one) => one.consent !== undefined || one.bounded !== true);
}

function belongsToOther(namespace: string, projectKey: string): ApiError {
  return new ApiError(
    403,
    `namespace ${namespace} belongs to project ${projectKey}; choose another one, or ask a system administrator to create the environment`,
  );
}
