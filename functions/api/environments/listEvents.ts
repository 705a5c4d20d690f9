import { notFound } from "../../../shared/base/errors/apiError.ts";
import { withCallBudget } from "../../../shared/base/outbound/callBudget.ts";
import { failingWith } from "../../../shared/environments/failures.ts";
import { silentSeconds } from "../../../shared/environments/limits.ts";
import { isReachable } from "../../../shared/environments/read/isReachable.ts";
import { ownersOn } from "../../../shared/environments/resolveOwner.ts";
import type { EnvironmentRecord } from "../../../shared/environments/store/environments.ts";
import type { ClusterClient } from "../../../shared/kube/client/ClusterClient.ts";
import { findObject } from "../../../shared/kube/client/findObject.ts";
import { openCluster } from "../../../shared/kube/clusters/openCluster.ts";
import {
  type LiveEvent,
  liveEventsOf,
  type ObservedEvent,
  observedEvents,
} from "../../../shared/kube/live/eventsOf.ts";

/**
 * Events of one object, newest first, in an environment of either kind (contract P 10.1); an object without any has an
 * empty list, and so has one of another environment (decisions 17.4).
 * @throws ApiError 404 unknown environment; 6093 when the cluster cannot be read
 */
export async function listEvents(
  environment: EnvironmentRecord | undefined,
  asked: { projectKey: string; envName: string; name: string; type: string },
): Promise<ObservedEvent[]> {
  if (environment === undefined) throw notFound(`environment ${asked.envName} in project ${asked.projectKey}`);
  return failingWith(6093, async () => {
    const { client } = await openCluster(environment.clusterId);
    const object = { kind: asked.type, name: asked.name, namespace: environment.namespace };
    return withCallBudget(silentSeconds, async () => {
      const events = await liveEventsOf(client, object);
      return (await areOurs(client, environment, object, events)) ? observedEvents(events) : [];
    });
  });
}

/** Events carry no labels, so the object is asked; of one that is gone, a guest in the namespace is told nothing. */
async function areOurs(
  client: ClusterClient,
  environment: EnvironmentRecord,
  object: { kind: string; name: string; namespace: string },
  events: readonly LiveEvent[],
): Promise<boolean> {
  const apiVersion = events.find(({ involvedObject }) => involvedObject?.apiVersion !== undefined)?.involvedObject
    ?.apiVersion;
  const live = apiVersion === undefined ? undefined : await findObject(client, { ...object, apiVersion });
  return isReachable(environment, live?.metadata.labels, ownersOn(environment.clusterId));
}
