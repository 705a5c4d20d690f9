import { both, mustBeOneOf, mustExist, mustHaveVersion } from "../../../base/store/conditions.ts";
import { type Key, keys, type ServiceKind } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { check, update, type Write } from "../../../base/store/writes.ts";
import type { ServiceName } from "./services.ts";

/** A label that a service has. */
export interface LabelBinding {
  labelId: string;
  value: string;
}

/** Which service is meant. */
export interface LabelledService {
  projectKey: string;
  kind: ServiceKind;
  name: string;
}

const nameKey = ({ projectKey, kind, name }: LabelledService): Key => keys.serviceName(projectKey, kind, name);

/**
 * The labels of the services of one name in the given kinds, in one read; undefined when none of them exists. Labels
 * are stored with the name, so that they go with the service and new revisions leave them alone.
 */
export async function findServiceLabels(
  projectKey: string,
  kinds: readonly ServiceKind[],
  name: string,
): Promise<LabelBinding[] | undefined> {
  const nameKeys = kinds.map((kind) => nameKey({ projectKey, kind, name }));
  const items = await table().getMany<ServiceName>(nameKeys, { consistent: false });
  const standing = items.filter((item) => item.standing);
  if (standing.length === 0) return undefined;
  return standing.flatMap(({ labels = {} }) => Object.entries(labels).map(([labelId, value]) => ({ labelId, value })));
}

/** The place of an existing service, with its labels. */
export async function findLabelledService(service: LabelledService): Promise<Item<ServiceName> | undefined> {
  const found = await table().get<ServiceName>(nameKey(service));
  return found?.standing ? found : undefined;
}

/**
 * Replaces the labels of a service; `added` is the label that is new among them and must be defined.
 * @throws ConditionFailed when the service changed since it was read, or the label is gone
 */
export async function setServiceLabels(
  service: LabelledService,
  version: number,
  labels: Readonly<Record<string, string>>,
  added?: string,
): Promise<void> {
  const unchanged = both(mustHaveVersion(version), mustBeOneOf("standing", [true]));
  const writes: Write[] = [update(nameKey(service), { set: { labels } }, unchanged)];
  if (added !== undefined) writes.push(check(keys.label(added), mustExist));
  await table().write(...writes);
}
