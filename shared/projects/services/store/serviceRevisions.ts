import {
  both,
  type Condition,
  equals,
  mustBeOneOf,
  mustHaveVersion,
  mustNotExist,
} from "../../../base/store/conditions.ts";
import { type Key, keys, lists, references } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { create, overwrite, update, type Write } from "../../../base/store/writes.ts";
import { countOverview } from "../../../reports/statistics/store/overview.ts";
import { projectMustStand } from "../../store/projects.ts";
import type { ServiceName, ServiceRecord, VersionedService } from "./services.ts";
import { type StoredRevision, toStored } from "./storedService.ts";
import { followTemplate } from "./templateFollowers.ts";

/**
 * A service under a free name; `record.revision` follows the last one of the name. One that follows its template also
 * holds that the template is still the one it was made from.
 */
export async function newServiceWrites(record: ServiceRecord): Promise<Write[]> {
  const item = await toStored(record);
  return [
    create({ ...serviceKey(record), ...item, ...listing(record) }),
    ...revisionWrites(record, item),
    ...followTemplate(record),
  ];
}

/** Counts the test services in that a transaction makes. @param writes of `newServiceWrites`, of several services too */
export function countNewServices(writes: readonly Write[]): Write[] {
  const isNew = (write: Write) =>
    write.kind === "put" && write.item.sk === keys.service("", "test", "").sk && write.item.kind === "test";
  const made = writes.filter(isNew).length;
  return made === 0 ? [] : [countOverview("services", made)];
}

/**
 * Stores the next revision of `before`.
 * @throws ConditionFailed when the service changed since it was read, or the project no longer exists
 */
export async function addRevision(before: VersionedService, record: ServiceRecord): Promise<void> {
  const item = await toStored(record);
  await table().write(
    replaceLatest(before, record, item),
    ...revisionWrites(record, item),
    projectMustStand(record.projectKey),
  );
}

/** Changes the newest revision in place. @throws ConditionFailed when the service changed since it was read */
export async function changeRevision(before: VersionedService, record: ServiceRecord): Promise<void> {
  const item = await toStored(record);
  await table().write(
    replaceLatest(before, record, item),
    overwrite({ ...revisionKey(record), ...item }),
    projectMustStand(record.projectKey),
  );
}

const serviceKey = (record: ServiceRecord): Key => keys.service(record.projectKey, record.kind, record.name);
const revisionKey = (record: ServiceRecord): Key =>
  keys.serviceRevision(record.projectKey, record.kind, record.name, record.revision);

function replaceLatest(
  before: VersionedService,
  record: ServiceRecord,
  item: StoredRevision & { type: string },
): Write {
  return {
    kind: "put",
    item: { ...serviceKey(record), ...item, ...listing(record), version: before.version + 1 },
    condition: mustStillBe(before),
  };
}

/** Versions start again when a name is used again; revisions do not, so both together name one state. */
function mustStillBe({ version, revision }: VersionedService): Condition {
  return both(mustHaveVersion(version), equals("revision", revision));
}

function revisionWrites(record: ServiceRecord, item: StoredRevision & { type: string }): Write[] {
  const { projectKey, kind, name, revision } = record;
  const place: ServiceName = { name, lastRevision: revision, standing: true };
  const reference = { refPk: references.services(projectKey), refSk: `${kind}#${name}` };
  return [
    create({ ...revisionKey(record), ...item }),
    // Only these attributes: labels of the service are stored beside them.
    update(
      keys.serviceName(projectKey, kind, name),
      { set: { type: "service-name", ...place, ...reference } },
      revision === 1 ? mustNotExist : mustBeOneOf("lastRevision", [revision - 1]),
    ),
  ];
}

function listing({ projectKey, kind, name }: ServiceRecord): { listPk: string; listSk: string } {
  return { listPk: lists.services(projectKey, kind), listSk: name };
}
