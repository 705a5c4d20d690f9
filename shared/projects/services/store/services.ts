import type { StoredText } from "../../../base/aws/objects/objectStore.ts";
import { mustBeOneOf } from "../../../base/store/conditions.ts";
import { type Key, keys, lists, references, type ServiceKind } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { ConditionFailed, type Item } from "../../../base/store/tableClient.ts";
import { remove, update } from "../../../base/store/writes.ts";
import type { ServiceContainer } from "../../../manifest/containers.ts";
import type { ManifestWarning } from "../../../manifest/manifestWarning.ts";
import type { ServiceVariable } from "../../../manifest/variables/serviceVariable.ts";
import type { ChartFolder, ChartPlace } from "../../../packaging/charts/readChartArchive.ts";
import { countOverview } from "../../../reports/statistics/store/overview.ts";
import { type Project, projectMustBeLeaving } from "../../store/projects.ts";
import { type StoredRevision, type StoredSummary, toContainer, toRecord } from "./storedService.ts";

/** The newest revision of a service, its text loaded. */
export interface ServiceRecord {
  projectKey: string;
  kind: ServiceKind;
  name: string;
  /** Counts from 1 per (project, kind, name) and goes on when the name is used again. */
  revision: number;
  /** The manifest, or the values of a chart. */
  yaml: string;
  variables: ServiceVariable[];
  containers: ServiceContainer[];
  /** Set where the service is a chart. */
  chart?: ServiceChart;
  /** What of the YAML was taken although it is not in order. */
  warnings: ManifestWarning[];
  /** Set where nothing is taken that would be warned of. */
  strict?: true;
  /** `spock` when typed by hand, `template` when made from one (contract P 2.3). */
  source: string;
  /** The template that it was made from, until its YAML is replaced by hand; of a chart, where it follows its template. */
  template?: ServiceTemplate;
  createdBy: string;
  /** Unix seconds, as `createdBy` of this revision. */
  createdAt: number;
  /** Position of its service group; groups order deployment (contract P 14.3). */
  group: number;
}

/** The chart that a revision of a service deploys, and where it came from. */
export interface ServiceChart {
  digest: string;
  name: string;
  version: string;
  /** The chart template it was made from, which may have gone on since, and what was sent with it. */
  template?: {
    name: string;
    /** Absent in records of before services could follow: they do not. */
    variables?: readonly { key: string; value: string }[];
    valuesYaml?: StoredText;
  };
  /** Where it was loaded from without a template, and the values that were sent with it (contract P 3.3). */
  loaded?: { from: ChartPlace | ChartFolder; valuesYaml: StoredText };
  /** The chart repository it comes from, where it is no service of the project but a release that a job deployed. */
  repository?: string;
}

export interface ServiceTemplate {
  id: string;
  name: string;
  /** Of the template when the service last took it over: a sync that comes late never brings an older text back. */
  version: number;
  /** Whether the service follows later changes of the template (contract P 19). */
  autoSync: boolean;
}

/** What the list shows of a service. */
export interface ServiceSummary {
  name: string;
  isChart?: true;
  source: string;
  containers: ServiceContainer[];
}

/** A record as it was read: `version` is what a change of it must still meet. */
export interface VersionedService extends ServiceRecord {
  version: number;
}

/** Outlives the service: a service made again under its old name continues the numbering (contract P 2.4). */
export interface ServiceName {
  name: string;
  lastRevision: number;
  standing?: true;
  /** Values of the labels of an existing service, by label id. */
  labels?: Readonly<Record<string, string>>;
}

/** The newest revision. */
export async function findService(
  projectKey: string,
  kind: ServiceKind,
  name: string,
): Promise<VersionedService | undefined> {
  const item = await table().get<StoredRevision>(keys.service(projectKey, kind, name));
  return item && toRecord(item);
}

/** The newest revisions of the named services, by name, in one batch; unknown names are left out. */
export async function findServices(
  projectKey: string,
  kind: ServiceKind,
  names: readonly string[],
): Promise<Map<string, VersionedService>> {
  const distinct = [...new Set(names)];
  const items = await table().getMany<StoredRevision>(distinct.map((name) => keys.service(projectKey, kind, name)));
  const records = await Promise.all(items.map(toRecord));
  return new Map(records.map((record) => [record.name, record]));
}

/** All services of one kind by name. */
export async function listServices(projectKey: string, kind: ServiceKind): Promise<ServiceSummary[]> {
  const pk = lists.services(projectKey, kind);
  const items = await table().query<{ summary: StoredSummary }>({ index: "list", pk });
  return items.map(({ summary }) => ({ ...summary, containers: summary.containers.map(toContainer) }));
}

/** What exists under service names before a creation: small items, whatever the services hold. */
export interface ServicePlaces {
  project: Item<Project> | undefined;
  /** Names that are taken. */
  taken: ReadonlySet<string>;
  /** The last revision that each name ever had; absent for new names. */
  lastRevisions: ReadonlyMap<string, number>;
}

/** Reads the project and what exists under the names in one batch. */
export async function findPlaces(
  projectKey: string,
  kind: ServiceKind,
  names: readonly string[],
): Promise<ServicePlaces> {
  const nameKeys = [...new Set(names)].map((name) => keys.serviceName(projectKey, kind, name));
  const items = await table().getMany<ServiceName & Project>([keys.project(projectKey), ...nameKeys]);
  const known = items.filter((item) => item.type === "service-name");
  return {
    project: items.find((item) => item.type === "project"),
    taken: new Set(known.filter((item) => item.standing).map((item) => item.name)),
    lastRevisions: new Map(known.map((item) => [item.name, item.lastRevision])),
  };
}

/**
 * The name is free again; nothing happens when it is already. Revisions stay under their numbers, which are never given
 * out again.
 */
export async function removeService(projectKey: string, kind: ServiceKind, name: string): Promise<void> {
  try {
    await table().write(
      update(
        keys.serviceName(projectKey, kind, name),
        { unset: ["standing", "labels"] },
        mustBeOneOf("standing", [true]),
      ),
      remove(keys.service(projectKey, kind, name)),
      ...(kind === "test" ? [countOverview("services", -1)] : []),
    );
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/**
 * Removes all that was ever stored of a project's services, names deleted before included. For the deletion of a
 * project; may be repeated. @throws ConditionFailed when the project exists (again)
 */
export async function removeAllServices(projectKey: string): Promise<void> {
  const names = await table().query<object>({ index: "references", pk: references.services(projectKey) });
  for (const { pk } of names) {
    const items = await table().query<Partial<ServiceName>>({ pk });
    const nameLast = [...items].sort((a, b) => Number(isName(a)) - Number(isName(b)));
    const standing = items.filter((item) => isStanding(item, projectKey));
    const counted = standing.length === 0 ? [] : [countOverview("services", -standing.length)];
    for (let at = 0; at < nameLast.length; at += 98) {
      const removals = nameLast.slice(at, at + 98).map((item) => remove({ pk: item.pk, sk: item.sk }));
      // The name goes last, and with it what was counted.
      const isLast = at + 98 >= nameLast.length;
      await table().write(...removals, projectMustBeLeaving(projectKey), ...(isLast ? counted : []));
    }
  }
}

/** The name of an existing test service: the overview counts it. */
function isStanding(item: Key & Partial<ServiceName>, projectKey: string): boolean {
  const { pk } = keys.serviceName(projectKey, "test", item.name ?? "");
  return isName(item) && item.standing === true && item.pk === pk;
}

/** The name is how the items of a service are found, so it goes last. */
function isName(item: Key): boolean {
  return item.sk === keys.serviceName("", "test", "").sk;
}
