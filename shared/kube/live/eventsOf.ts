import { unixSeconds } from "../../base/common/dateTime.ts";
import type { CallOptions, ClusterClient, LiveObject } from "../client/ClusterClient.ts";

/** An event as the API tells it, spelled as on the wire (contract P 10.1); times in Unix seconds. */
export interface ObservedEvent {
  reason?: string;
  message?: string;
  first_seen?: number;
  last_seen?: number;
  count?: number;
  type?: string;
}

/** An event as the cluster has it. */
export type LiveEvent = LiveObject & {
  involvedObject?: { apiVersion?: string };
  reason?: string;
  message?: string;
  type?: string;
  count?: number | null;
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  /** What newer clients write in place of the three above. */
  eventTime?: string | null;
  series?: { count?: number; lastObservedTime?: string } | null;
};

/** What the cluster tells about one object, whose kind and name hold no `,` and no `=`; newest first. @throws ClusterError */
export async function eventsOf(...asked: Parameters<typeof liveEventsOf>): Promise<ObservedEvent[]> {
  return observedEvents(await liveEventsOf(...asked));
}

/** The same as the cluster has them. @throws ClusterError */
export async function liveEventsOf(
  client: ClusterClient,
  object: { kind: string; name: string; namespace: string },
  call: CallOptions = {},
): Promise<LiveEvent[]> {
  const fieldSelector = `involvedObject.kind=${object.kind},involvedObject.name=${object.name}`;
  const { items } = await client.list(
    { apiVersion: "v1", kind: "Event" },
    { namespace: object.namespace, fieldSelector, ...call },
  );
  return items;
}

/** As the API tells them, newest first. */
export function observedEvents(events: readonly LiveEvent[]): ObservedEvent[] {
  return events.map(observed).sort((a, b) => (b.last_seen ?? 0) - (a.last_seen ?? 0));
}

function observed(event: LiveEvent): ObservedEvent {
  const { reason, message, type, count, firstTimestamp, lastTimestamp, eventTime, series } = event;
  const told = {
    reason,
    message,
    first_seen: unixSeconds(firstTimestamp ?? eventTime ?? undefined),
    last_seen: unixSeconds(lastTimestamp ?? series?.lastObservedTime ?? eventTime ?? undefined),
    count: count ?? series?.count,
    type,
  };
  return Object.fromEntries(
    Object.entries(told).filter(([, value]) => value !== undefined && value !== "" && value !== 0),
  );
}
