import { readStoredText, type StoredText, storeText } from "../../base/aws/objects/objectStore.ts";
import { notFound } from "../../base/errors/apiError.ts";
import { both, equals, mustBeFreeOr, mustBeOneOf, mustHaveVersion, not } from "../../base/store/conditions.ts";
import { countIn } from "../../base/store/counters.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { artifactKeys } from "../../base/store/keys/artifactKeys.ts";
import { dues, keys, lists, padded } from "../../base/store/keys/keys.ts";
import { allNumbered, countNumbered, type NumberedRecords, pageOfNumbered } from "../../base/store/numberedPages.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { check, create, named, overwrite, remove, update, type Write } from "../../base/store/writes.ts";
import { projectMustStand } from "../../projects/store/projects.ts";
import {
  type ChartState,
  chartStateIn,
  type ImageState,
  openStatuses,
  placesOf,
  stateIn,
  type VersionService,
  type VersionSource,
  type VersionStatus,
  type VersionType,
} from "../rules/version.ts";

/** What lists show of a version (contract D 1.2). */
export interface VersionSummary {
  versionId: string;
  /** Counted in the project, from 1; never given again. */
  index: number;
  name: string;
  versionType: VersionType;
  source: VersionSource;
  status: VersionStatus;
  labels: readonly string[];
  description: string;
  createdBy: string;
  createdAt: number;
}

export interface VersionRecord extends VersionSummary {
  projectKey: string;
  envKey: string;
  production: boolean;
  /** The first fatal error; empty otherwise. */
  error: string;
  /** Where images go; empty when none is pushed. */
  registryId: string;
  chartRepoName: string;
  originalChartRepoName: string;
  /** How often an execution was started for it. */
  attempt: number;
  /** How often the version was started: 1, and one more at every retry. */
  round: number;
  /** Unix seconds: when this round began, and when a registry last confirmed something of it. */
  roundStartedAt: number;
  progressAt: number;
}

/** As it is in the table: a version that is being taken away is never shown. */
type StoredVersion = Omit<VersionRecord, "status"> & { status: VersionStatus | "removing" };
type StoredState = ImageState & { round: number; targetImage?: string };
type StoredChart = ChartState & { round: number };

/** Where a version belongs, as the list of all projects' versions has it. */
interface VersionPlace {
  versionId: string;
  projectKey: string;
  /** Names of its services. */
  services: readonly string[];
}

/** A version with all that it consists of. */
export interface WholeVersion {
  version: Item<VersionRecord>;
  services: VersionService[];
  /** Of every image, in the order of `placesOf`. */
  states: ImageState[];
  /** Of every service, in their order. */
  charts: ChartState[];
}

const numbered = (projectKey: string): NumberedRecords => ({
  countsKey: keys.deliveryVersionCounts(projectKey),
  countsType: "delivery-version-counts",
  list: lists.deliveryVersions(projectKey),
});

/** The number of a new version, whether it comes to be or not. */
export async function newVersionIndex(projectKey: string): Promise<number> {
  return (await table().add(keys.counter(`delivery-versions#${projectKey}`), 1)).value;
}

/**
 * A new version, due for the reconciler until it is concluded.
 * @throws ConditionFailed "version name" when the project has one of that name, "project" when that is gone
 */
export async function createVersion(version: VersionRecord, services: readonly VersionService[]): Promise<void> {
  const { versionId, projectKey, name, index } = version;
  const content = await storeText(JSON.stringify(services));
  const place: VersionPlace = { versionId, projectKey, services: services.map((service) => service.name) };
  await table().write(
    create({
      ...version,
      ...keys.deliveryVersion(versionId),
      type: "delivery-version",
      ...{ summary: summaryOf(version), listPk: lists.deliveryVersions(projectKey), listSk: padded(index) },
      ...due(version),
    }),
    create({ ...keys.deliveryVersionContent(versionId), type: "delivery-version-content", content }),
    named(
      "version name",
      create({
        ...{ ...keys.deliveryVersionName(projectKey, name), type: "delivery-version-name", versionId },
        ...{ summary: place, listPk: lists.allDeliveryVersions, listSk: `${Date.now()}#${versionId}` },
      }),
    ),
    countNumbered(numbered(projectKey), index, 1),
    ...countLabels(version, 1),
    projectMustStand(projectKey),
  );
}

/** The version; undefined also when it is being taken away. */
export async function findVersion(versionId: string): Promise<Item<VersionRecord> | undefined> {
  return shown(await table().get<StoredVersion>(keys.deliveryVersion(versionId)));
}

/** @throws ApiError 404 */
export async function requireVersion(versionId: string): Promise<Item<VersionRecord>> {
  const version = await findVersion(versionId);
  if (version === undefined) throw versionMissing(versionId);
  return version;
}

export const versionMissing = (versionId: string): Error => notFound(`delivery version ${versionId}`);

export async function findVersionId(projectKey: string, name: string): Promise<string | undefined> {
  const key = keys.deliveryVersionName(projectKey, name);
  return (await table().get<{ versionId: string }>(key, { consistent: false }))?.versionId;
}

/** The version with its services and what became of its images, in one query. */
export async function findWholeVersion(
  versionId: string,
  options: { consistent?: boolean } = {},
): Promise<WholeVersion | undefined> {
  const { pk } = keys.deliveryVersion(versionId);
  const items = await table().query<StoredVersion & { content: StoredText } & StoredState & StoredChart>({
    pk,
    ...options,
  });
  const version = shown(items.find(({ type }) => type === "delivery-version"));
  const content = items.find(({ type }) => type === "delivery-version-content")?.content;
  if (version === undefined || content === undefined) return undefined;
  const services: VersionService[] = JSON.parse(await readStoredText(content));
  const stored = new Map(items.map((item) => [item.sk, item]));
  const states = placesOf(services).map(({ service, image }) => {
    const { sk } = keys.deliveryVersionImage(versionId, service, image);
    return stateIn(version.round, { service, image }, stored.get(sk));
  });
  const charts = services.map((_, service) =>
    chartStateIn(version.round, stored.get(keys.deliveryVersionChart(versionId, service).sk)),
  );
  return { version, services, states, charts };
}

/** A page of a project's versions, the newest first, and how many there are. */
export function pageOfVersions(projectKey: string, page: number, size: number) {
  return pageOfNumbered<VersionSummary>(numbered(projectKey), page, size);
}

/** Every version of a project, the newest first. */
export function allVersions(projectKey: string): Promise<VersionSummary[]> {
  return allNumbered<VersionSummary>(numbered(projectKey));
}

/** Ids of versions, the newest first: of one project or (empty) of all, with a service of that name or (empty) any. */
export async function versionIds(projectKey: string, serviceName: string): Promise<string[]> {
  const pk = lists.allDeliveryVersions;
  const items = await table().query<{ summary: VersionPlace }>({ index: "list", pk, descending: true });
  const wanted = items.filter(
    ({ summary }) =>
      (projectKey === "" || summary.projectKey === projectKey) &&
      (serviceName === "" || summary.services.includes(serviceName)),
  );
  return wanted.map(({ summary }) => summary.versionId);
}

/** The labels that versions of a project have, each once. */
export async function labelsOfVersions(projectKey: string): Promise<string[]> {
  const counts = await table().get<Record<string, unknown>>(keys.deliveryLabels(projectKey), { consistent: false });
  const used = Object.entries(counts ?? {}).filter(([key, count]) => key.startsWith(labelPrefix) && Number(count) > 0);
  return used.map(([key]) => key.slice(labelPrefix.length)).sort();
}

/** How many versions a project has, exactly. */
export async function countVersions(projectKey: string): Promise<number> {
  return (await table().get<{ total: number }>(keys.deliveryVersionCounts(projectKey)))?.total ?? 0;
}

/** Ids of versions that are under way or being taken away. */
export async function openVersions(): Promise<string[]> {
  const items = await table().query<{ dueSk: string }>({ index: "due", pk: dues.deliveryVersions });
  return items.map(({ dueSk }) => dueSk.slice(dueSk.indexOf("#") + 1));
}

/** The next execution of the round, in place of the one that ended. */
export function setAttempt(version: VersionRecord, attempt: number): Write {
  return update(
    keys.deliveryVersion(version.versionId),
    { set: { attempt } },
    both(mustBeOneOf("status", openStatuses), mustBeOneOf("attempt", [version.attempt])),
  );
}

/** Starts a failed version again. Loses "delivery version" when another call was faster. */
export function startRetry(version: Item<VersionRecord>): { next: VersionRecord; write: Write } {
  const now = nowSeconds();
  const set = {
    ...{ status: "retrying" as const, error: "", attempt: version.attempt + 1, round: version.round + 1 },
    ...{ roundStartedAt: now, progressAt: now },
  };
  const next = { ...version, ...set };
  const changes = { set: { ...set, summary: summaryOf(next), ...due(next) } };
  const condition = both(mustHaveVersion(version.version), mustBeOneOf("status", ["failed"]));
  return {
    next,
    write: named("delivery version", update(keys.deliveryVersion(version.versionId), changes, condition)),
  };
}

/** Ends the round; loses "delivery version" when it ended before. */
export function endVersion(
  version: VersionRecord,
  end: Pick<VersionRecord, "error"> & { status: "success" | "failed" },
): Write {
  const set = { ...end, summary: summaryOf({ ...version, ...end }) };
  const changes = { set, unset: ["duePk", "dueSk"] };
  return named("delivery version", update(keys.deliveryVersion(version.versionId), changes, mustBeInRound(version)));
}

/** A registry confirmed something. */
export function recordProgress(version: VersionRecord, progressAt: number): Write {
  return update(keys.deliveryVersion(version.versionId), { set: { progressAt } }, mustBeInRound(version));
}

/**
 * What became of an image, and that the version has it: by its digest, and, once the image is there, by the name that
 * it runs under. An image that passed stays so. Loses "delivery version" when the round has ended.
 */
export function putImageState({ version, services }: WholeVersion, state: ImageState): Write[] {
  const { versionId, projectKey, name, round } = version;
  const { service, image, digest, status } = state;
  const what = services[service]?.images[image];
  const targetImage = what?.targetImage ?? "";
  const item = {
    ...state,
    ...{ round, targetImage },
    ...keys.deliveryVersionImage(versionId, service, image),
    type: "delivery-version-image",
  };
  const use = { type: "image-use", projectKey, versionId, name, at: Date.now() };
  const stands = digest !== "" && targetImage !== "" && (status === "passed" || what?.pushes === false);
  return [
    named("delivery version", check(keys.deliveryVersion(versionId), mustBeInRound(version))),
    { ...overwrite(item), condition: notPassed },
    ...(digest === "" ? [] : [overwrite({ ...artifactKeys.imageInVersion(digest, versionId), ...use, targetImage })]),
    ...(stands ? [overwrite({ ...artifactKeys.imageInVersion(targetImage, versionId), ...use, digest })] : []),
  ];
}

/** What became of a service's chart. A passed chart stays so. Loses "delivery version" when the round has ended. */
export function putChartState({ version }: WholeVersion, service: number, state: ChartState): Write[] {
  const { versionId, round } = version;
  const item = { ...state, round, ...keys.deliveryVersionChart(versionId, service), type: "delivery-version-chart" };
  return [
    named("delivery version", check(keys.deliveryVersion(versionId), mustBeInRound(version))),
    { ...overwrite(item), condition: notPassed },
  ];
}

const notPassed = mustBeFreeOr(not(equals("status", "passed")));

/**
 * Takes a version out of all lists and frees its name; what is left of it goes by `removeVersionParts`. Loses "delivery
 * version" when it was changed since it was read.
 */
export function startRemoval(version: Item<VersionRecord>): Write[] {
  const { versionId, projectKey, name, index } = version;
  const set = { status: "removing", ...due(version) };
  const changes = { set, unset: ["listPk", "listSk", "summary"] };
  return [
    named("delivery version", update(keys.deliveryVersion(versionId), changes, mustHaveVersion(version.version))),
    remove(keys.deliveryVersionName(projectKey, name)),
    countNumbered(numbered(projectKey), index, -1),
    ...countLabels(version, -1),
  ];
}

/** Whether the version is only waiting for its parts to be gone. */
export async function isBeingRemoved(versionId: string): Promise<boolean> {
  return (await table().get<StoredVersion>(keys.deliveryVersion(versionId)))?.status === "removing";
}

const maxRemovalsAtOnce = 50;

/** Removes everything of a version that `startRemoval` took away; may be repeated. */
export async function removeVersionParts(versionId: string): Promise<void> {
  const { pk, sk } = keys.deliveryVersion(versionId);
  const items = await table().query<Partial<StoredState>>({ pk });
  const uploads = await table().query<object>({ pk: keys.imageUpload(versionId, "").pk });
  const parts = [...items.filter((item) => item.sk !== sk), ...uploads].map((item) =>
    remove({ pk: item.pk, sk: item.sk }),
  );
  const names = new Set(items.flatMap(({ digest = "", targetImage = "" }) => [digest, targetImage]));
  names.delete("");
  // What is found by a part goes before the part.
  const all = [...[...names].map((image) => remove(artifactKeys.imageInVersion(image, versionId))), ...parts];
  for (let at = 0; at < all.length; at += maxRemovalsAtOnce)
    await table().write(...all.slice(at, at + maxRemovalsAtOnce));
  await table().write(remove({ pk, sk }));
}

function shown(item: Item<StoredVersion> | undefined): Item<VersionRecord> | undefined {
  if (item === undefined || item.status === "removing") return undefined;
  return { ...item, status: item.status };
}

function mustBeInRound({ round }: VersionRecord) {
  return both(mustBeOneOf("status", openStatuses), mustBeOneOf("round", [round]));
}

function due({ versionId, roundStartedAt }: VersionRecord) {
  return { duePk: dues.deliveryVersions, dueSk: `${padded(roundStartedAt)}#${versionId}` };
}

/** Labels are anything that people write, so they stand behind a prefix. */
const labelPrefix = "label ";

function countLabels({ projectKey, labels }: VersionRecord, amount: 1 | -1): Write[] {
  if (labels.length === 0) return [];
  const amounts = Object.fromEntries(labels.map((label) => [`${labelPrefix}${label}`, amount]));
  return [countIn(keys.deliveryLabels(projectKey), "delivery-labels", amounts)];
}

function summaryOf(version: VersionSummary): VersionSummary {
  const { versionId, index, name, versionType, source, status, labels, description, createdBy, createdAt } = version;
  return { versionId, index, name, versionType, source, status, labels, description, createdBy, createdAt };
}
