import { keys, type ServiceKind } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { ServiceRecord } from "./services.ts";
import { type StoredRevision, toRecord } from "./storedService.ts";

/** One revision of a service; undefined for an unknown one. */
export async function findRevision(
  projectKey: string,
  kind: ServiceKind,
  name: string,
  revision: number,
): Promise<ServiceRecord | undefined> {
  const item = await table().get<StoredRevision>(keys.serviceRevision(projectKey, kind, name, revision));
  return item && toRecord(item);
}
