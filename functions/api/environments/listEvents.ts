import { openCluster } from "../../../shared/clusters/openCluster.ts";
import { failingWith } from "../../../shared/environments/failures.ts";
import { silentSeconds } from "../../../shared/environments/limits.ts";
import type { EnvironmentRecord } from "../../../shared/environments/store/environments.ts";
import { notFound } from "../../../shared/errors/apiError.ts";
import { eventsOf, type ObservedEvent } from "../../../shared/kube/eventsOf.ts";
import { withCallBudget } from "../../../shared/outbound/callBudget.ts";

/**
 * Events of one object, newest first, in an environment of either kind (contract P 10.1); an object without any has an
 * empty list. @throws ApiError 404 unknown environment; 6093 when the cluster cannot be read
 */
export async function listEvents(
  environment: EnvironmentRecord | undefined,
  asked: { projectKey: string; envName: string; name: string; type: string },
): Promise<ObservedEvent[]> {
  if (environment === undefined) throw notFound(`environment ${asked.envName} in project ${asked.projectKey}`);
  return failingWith(6093, async () => {
    const { client } = await openCluster(environment.clusterId);
    const object = { kind: asked.type, name: asked.name, namespace: environment.namespace };
    return withCallBudget(silentSeconds, () => eventsOf(client, object));
  });
}
