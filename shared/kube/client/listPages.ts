import type { KindRef, ListOptions, LiveObject, ObjectList } from "./ClusterClient.ts";
import type { Discovery } from "./discovery.ts";
import { ClusterBusy, ClusterExpired, ClusterNotFound } from "./errors.ts";
import { readPage } from "./readObject.ts";
import type { Transport } from "./wire/transport.ts";

const pageSize = 500;
const metadataList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

/** Reads a whole list page by page; one whose pages expired in between is read again from the start, once. */
export async function listPages(
  transport: Transport,
  discovery: Discovery,
  kind: KindRef,
  options: ListOptions,
): Promise<ObjectList> {
  const { namespace, labelSelector, fieldSelector, metadataOnly, notOlderThan, most, ...call } = options;
  const what = `list ${kind.kind}${namespace === undefined ? "" : ` in namespace "${namespace}"`}`;
  const path = await discovery.path(kind, { namespace }, call);
  // A list from the server's cache comes in one piece.
  const from =
    notOlderThan === undefined
      ? { limit: String(most ?? pageSize) }
      : { resourceVersion: notOlderThan, resourceVersionMatch: "NotOlderThan" };
  const query = { labelSelector, fieldSelector, ...from };
  const accept = metadataOnly === true ? { accept: metadataList } : {};
  const items: LiveObject[] = [];
  let continueToken: string | undefined;
  let restarted = false;
  for (;;) {
    try {
      const { body } = await transport.send({
        what,
        verb: "list",
        method: "GET",
        path,
        query: { ...query, continue: continueToken },
        ...accept,
        ...call,
      });
      const page = readPage(body, kind, what);
      items.push(...page.items);
      continueToken = page.continueToken;
      if (most !== undefined) return { ...page, cut: continueToken !== undefined };
      if (continueToken === undefined) return { items, resourceVersion: page.resourceVersion };
    } catch (error) {
      if (error instanceof ClusterNotFound) {
        discovery.forget(kind.apiVersion);
        // Its definition went since discovery: then that is what is told.
        await discovery.resource(kind, call);
      }
      // A cluster that was restored from a backup may never reach the version asked for.
      const ahead = notOlderThan !== undefined && error instanceof ClusterBusy && error.status === 504;
      if (ahead) return listPages(transport, discovery, kind, { ...options, notOlderThan: undefined });
      if (!(error instanceof ClusterExpired) || restarted) throw error;
      restarted = true;
      items.length = 0;
      continueToken = undefined;
    }
  }
}
