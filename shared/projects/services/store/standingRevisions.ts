import { keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { findRevision } from "./findRevision.ts";
import type { ServiceName, ServiceRecord, ServiceSummary } from "./services.ts";
import { type StoredRevision, toContainer } from "./storedService.ts";

/** Which service is meant. */
type Address = Pick<ServiceRecord, "projectKey" | "kind" | "name">;

/** What a list shows of a revision. */
export interface RevisionSummary
  extends Pick<ServiceRecord, "revision" | "createdBy" | "createdAt">,
    Pick<ServiceSummary, "source" | "containers"> {}

/**
 * Revisions under the name of an existing service, newest first, found by their numbers, which have no gaps: any page
 * costs the same. @param pageNum from 1 @returns undefined without such a service
 */
export async function pageOfRevisions(
  { projectKey, kind, name }: Address,
  pageNum: number,
  pageSize: number,
): Promise<{ total: number; revisions: RevisionSummary[] } | undefined> {
  const place = await table().get<ServiceName>(keys.serviceName(projectKey, kind, name));
  if (place?.standing !== true) return undefined;
  const total = place.lastRevision;
  const last = total - (pageNum - 1) * pageSize;
  if (last < 1) return { total, revisions: [] };
  const { pk, sk: to } = keys.serviceRevision(projectKey, kind, name, last);
  const { sk: from } = keys.serviceRevision(projectKey, kind, name, Math.max(last - pageSize + 1, 1));
  const items = await table().query<StoredRevision>({ pk, between: [from, to], descending: true, consistent: false });
  return {
    total,
    revisions: items.map(({ revision, createdBy, createdAt, summary: { source, containers } }) => ({
      ...{ revision, createdBy, createdAt, source, containers: containers.map(toContainer) },
    })),
  };
}

/** One revision under the name of an existing service, its text loaded; undefined without either. */
export async function findStandingRevision(
  { projectKey, kind, name }: Address,
  revision: number,
): Promise<ServiceRecord | undefined> {
  const [place, found] = await Promise.all([
    table().get<ServiceName>(keys.serviceName(projectKey, kind, name), { consistent: false }),
    findRevision(projectKey, kind, name, revision),
  ]);
  return place?.standing === true ? found : undefined;
}
