import type { CallOptions, ClusterClient, LiveObject } from "../client/ClusterClient.ts";

/** What the cluster complained about; newest last. Times as RFC 3339. */
export interface Warning {
  uid: string;
  reason: string;
  message: string;
  /** Of the container, where the event is about one. */
  container: string | undefined;
  firstSeen: string;
  lastSeen: string;
}

interface LiveEvent extends LiveObject {
  involvedObject?: { uid?: string; fieldPath?: string };
  reason?: string;
  message?: string;
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  series?: { lastObservedTime?: string } | null;
}

/** The warnings about objects of a namespace in one LIST. @throws ClusterError */
export async function listWarnings(client: ClusterClient, namespace: string, call: CallOptions): Promise<Warning[]> {
  const { items } = await client.list(
    { apiVersion: "v1", kind: "Event" },
    { namespace, fieldSelector: "type=Warning", ...call },
  );
  return items.map(warningOf).sort((a, b) => (a.lastSeen < b.lastSeen ? -1 : 1));
}

function warningOf(event: LiveEvent): Warning {
  const { involvedObject = {}, reason = "", message = "", series } = event;
  const firstSeen = event.firstTimestamp ?? event.eventTime ?? "";
  return {
    uid: involvedObject.uid ?? "",
    reason,
    message,
    container: /^spec\.(?:initContainers|containers)\{(.+)\}$/.exec(involvedObject.fieldPath ?? "")?.[1],
    firstSeen,
    lastSeen: event.lastTimestamp ?? series?.lastObservedTime ?? firstSeen,
  };
}
