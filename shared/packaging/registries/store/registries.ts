import type { SealedSecret } from "../../../base/aws/secrets/sealedSecret.ts";
import { ApiError } from "../../../base/errors/apiError.ts";
import {
  type Condition,
  mustBeOneOf,
  mustExist,
  mustHaveVersion,
  mustNotExist,
} from "../../../base/store/conditions.ts";
import { newId, nowSeconds } from "../../../base/store/ids.ts";
import { dues, keys, lists, padded } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { ConditionFailed, conflictedOn, type Item } from "../../../base/store/tableClient.ts";
import { tryWrite } from "../../../base/store/tryWrite.ts";
import { check, create, named, overwrite, remove, replace, update, type Write } from "../../../base/store/writes.ts";

/** What lists show of a registry (contract D 4.1), apart from whether it is the default. */
export interface RegistrySummary {
  registryId: string;
  /** As it was given, with its scheme. */
  address: string;
  provider: string;
  /** Empty unless the provider has regions. */
  region: string;
  /** Empty for ecr where the repository follows the address. */
  namespace: string;
}

/** Which registry is the default is kept in one item of its own (`defaultRegistryId`), so that there is at most one. */
export interface RegistryRecord extends RegistrySummary {
  /** Sealed `RegistryCredentials` as JSON, for `{ record: "registry:<id>", field: "credentials" }`; absent: none. */
  credentials?: SealedSecret;
  hasKeys: boolean;
  /** Of ecr: the role of another account that is taken on, and what it wants to hear; absent: none. */
  roleArn?: string;
  externalId?: string;
  /** Of ecr: how repositories are made in it; absent: images are scanned when they are pushed, and tags may move. */
  scanOnPush?: boolean;
  immutableTags?: boolean;
  enableTls: boolean;
  createdBy: string;
  updatedBy: string;
  /** Unix seconds. */
  createdTime: number;
  updatedTime: number;
}

/** The registry of one machine (decisions 5.3). */
export const localRegistryId = "0123456789abcdef12345679";

export function findRegistry(id: string): Promise<Item<RegistryRecord> | undefined> {
  return table().get<RegistryRecord>(keys.registry(id));
}

/** Of one registry, and whether it is the default; costs half a consistent read each. */
export async function readRegistry(id: string): Promise<{ registry: RegistryRecord; isDefault: boolean } | undefined> {
  const [registry, defaultId] = await Promise.all([findRegistry(id), defaultRegistryId({ consistent: false })]);
  return registry && { registry, isDefault: defaultId === id };
}

export async function defaultRegistryId(options: { consistent?: boolean } = {}): Promise<string | undefined> {
  return (await table().get<DefaultPointer>(keys.defaultRegistry(), options))?.registryId;
}

export async function findDefaultRegistry(): Promise<Item<RegistryRecord> | undefined> {
  const id = await defaultRegistryId();
  return id === undefined ? undefined : findRegistry(id);
}

/**
 * The registry that an environment or a job names; an empty id means the default (contract D 4.6).
 * @throws ApiError 6281 when there is none
 */
export async function requireRegistry(id: string): Promise<Item<RegistryRecord>> {
  const found = id === "" ? await findDefaultRegistry() : await findRegistry(id);
  if (found !== undefined) return found;
  const problem =
    id === "" ? "there is no default registry; create one, or name a registry" : `registry ${id} does not exist`;
  throw new ApiError(6281, problem);
}

/** All registries, oldest first, and which of them is the default. */
export async function listRegistries(): Promise<{ registries: RegistrySummary[]; defaultId: string | undefined }> {
  const [items, defaultId] = await Promise.all([
    table().query<{ summary: RegistrySummary }>({ index: "list", pk: lists.registries }),
    defaultRegistryId(),
  ]);
  return { registries: items.map(({ summary }) => summary), defaultId };
}

/** Creates a registry. The first one becomes the default whatever is asked (contract D 4.5). */
export function createRegistry(record: RegistryRecord, wantsDefault: boolean): Promise<void> {
  return retryOnConflict(async () => {
    const defaultId = await defaultRegistryId();
    const becomes = wantsDefault || defaultId === undefined;
    await table().write(
      named("registry", create(itemOf(record))),
      becomes ? setDefault(record.registryId, defaultId) : check(keys.defaultRegistry(), mustExist),
    );
  });
}

/**
 * Replaces a registry that was read. A default stays the default until another takes its place (contract D 4.5).
 * `refresh`: the login changed, so the pull secrets that come from it are due to be written again.
 * @throws ConditionFailed "registry" when the record was changed since it was read
 */
export function changeRegistry(
  before: Item<RegistryRecord>,
  after: RegistryRecord,
  { wantsDefault, refresh }: { wantsDefault: boolean; refresh: boolean },
): Promise<void> {
  return retryOnConflict(async () => {
    const defaultId = await defaultRegistryId();
    const becomes = defaultId === undefined || (wantsDefault && defaultId !== after.registryId);
    await table().write(
      named("registry", replace(itemOf(after), before.version)),
      ...(becomes ? [setDefault(after.registryId, defaultId)] : []),
      ...(refresh ? [refreshDue(after.registryId)] : []),
    );
  });
}

/**
 * Deletes a registry that nothing uses; if it was the default, the oldest other one becomes it (contract D 4.5).
 * @throws ConditionFailed "registry" when the record was changed since it was read
 */
export function deleteRegistry(record: Item<RegistryRecord>): Promise<void> {
  return retryOnConflict(async () => {
    const { registries, defaultId } = await listRegistries();
    const next = registries.find(({ registryId }) => registryId !== record.registryId);
    await table().write(
      named("registry", remove(keys.registry(record.registryId), mustHaveVersion(record.version))),
      remove(keys.registryRefresh(record.registryId)),
      ...(defaultId !== record.registryId ? [] : succession(record.registryId, next?.registryId)),
    );
  });
}

function succession(id: string, next: string | undefined): Write[] {
  if (next === undefined) return [remove(keys.defaultRegistry(), mustPointTo(id))];
  return [setDefault(next, id), check(keys.registry(next), mustExist)];
}

interface DefaultPointer {
  registryId: string;
}

function setDefault(id: string, before: string | undefined): Write {
  const item = { ...keys.defaultRegistry(), type: "default-registry", version: 1, registryId: id };
  return { kind: "put", item, condition: before === undefined ? mustNotExist : mustPointTo(before) };
}

function mustPointTo(id: string): Condition {
  return mustBeOneOf("registryId", [id]);
}

const maxTries = 100;

/** Repeats when only the default moved between the read and the write. */
async function retryOnConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const hasLostDefault = error instanceof ConditionFailed && !conflictedOn(error, "registry");
      if (!hasLostDefault || tries >= maxTries) throw error;
    }
  }
}

/** Pull secrets that come from this registry must be written again; `changeId` tells one change from the next. */
export interface RegistryRefresh {
  registryId: string;
  changeId: string;
}

/** Makes the pull secrets that come from a registry due to be written again. */
export function refreshDue(registryId: string): Write {
  return overwrite(refreshAt(registryId, nowSeconds()));
}

/** Makes them due at a time (Unix seconds), unless they are due already. */
export async function refreshLater(registryId: string, at: number): Promise<void> {
  await tryWrite(table().write(create(refreshAt(registryId, at))));
}

function refreshAt(registryId: string, at: number) {
  return { ...keys.registryRefresh(registryId), type: "registry-refresh", registryId, ...dueAt(registryId, at) };
}

function dueAt(registryId: string, at: number) {
  return { changeId: newId(), duePk: dues.registryRefreshes, dueSk: `${padded(at)}#${registryId}` };
}

export function findRegistryRefresh(registryId: string): Promise<Item<RegistryRefresh> | undefined> {
  return table().get<RegistryRefresh>(keys.registryRefresh(registryId));
}

/** Registries whose refresh is due, oldest first: what a reconciler looks at. */
export async function dueRegistryRefreshes(): Promise<string[]> {
  const between = [padded(0), `${padded(nowSeconds())}~`] as const;
  const due = await table().query<{ dueSk: string }>({ index: "due", pk: dues.registryRefreshes, between });
  return due.map(({ dueSk }) => dueSk.slice(dueSk.indexOf("#") + 1));
}

/** Whether pull secrets are to be written again, now or later. */
export async function hasRegistryRefreshes(): Promise<boolean> {
  return (await table().query<object>({ index: "due", pk: dues.registryRefreshes, limit: 1 })).length > 0;
}

/** Takes the due refresh away unless another change came meanwhile; `again` (Unix seconds) makes it due then instead. */
export async function finishRegistryRefresh(
  { registryId, changeId }: RegistryRefresh,
  again: number | undefined,
): Promise<void> {
  const key = keys.registryRefresh(registryId);
  const unchanged = mustBeOneOf("changeId", [changeId]);
  const write =
    again === undefined ? remove(key, unchanged) : update(key, { set: dueAt(registryId, again) }, unchanged);
  await tryWrite(table().write(write));
}

function itemOf(record: RegistryRecord) {
  const { registryId, address, provider, region, namespace } = record;
  return {
    ...record,
    ...keys.registry(registryId),
    type: "registry",
    listPk: lists.registries,
    // Ids begin with their time, so that the list is in the order in which registries were created.
    listSk: registryId,
    summary: { registryId, address, provider, region, namespace },
  };
}
