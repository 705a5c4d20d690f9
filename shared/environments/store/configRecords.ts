import type { StoredText } from "../../base/aws/objects/objectStore.ts";
import { both, mustBeOneOf } from "../../base/store/conditions.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { check, create, named, replace, type Write } from "../../base/store/writes.ts";
import type { ConfigType } from "../rules/configObject.ts";
import { environmentStatuses } from "../rules/status.ts";
import type { EnvironmentRecord } from "./environments.ts";

/** A configuration object of an environment. */
export interface ConfigName {
  projectKey: string;
  envKey: string;
  configType: ConfigType;
  name: string;
}

/** Where the YAML of a configuration came from, as the caller told it (contract P 7.1); stored and returned. */
export interface ConfigSource {
  gitRepo?: unknown;
  loadPath?: string | undefined;
}

/** What callers say about a configuration beside its YAML. */
export interface ConfigNotes {
  services: string[];
  autoSync: boolean;
  source: ConfigSource | null;
}

/** The newest state of a configuration that was changed through the API. */
export interface ConfigRecord extends ConfigNotes {
  configType: ConfigType;
  name: string;
  /** Number of its newest change. */
  revision: number;
  /** Empty and 0 for an object that was there before. */
  createdBy: string;
  createdAt: number;
  updatedBy: string;
  updatedAt: number;
  /** The object was deleted; its history stays. */
  deleted: boolean;
}

/** One change of a configuration (decisions 6.7). */
export interface ConfigChange {
  revision: number;
  operation: "create" | "update" | "delete";
  by: string;
  at: number;
  /** As it was sent, that of a Secret sealed; empty for a deletion. */
  yaml: StoredText;
  source: ConfigSource | null;
}

/** An environment with the records of its configurations, in one query; undefined when there is no such environment. */
export async function findConfigs(
  projectKey: string,
  envKey: string,
): Promise<{ environment: Item<EnvironmentRecord>; records: ConfigRecord[] } | undefined> {
  const { pk, sk } = keys.environment(projectKey, envKey);
  const items = await table().query<EnvironmentRecord & ConfigRecord>({
    pk,
    between: ["config#", sk],
    consistent: false,
  });
  const environment = items.find((item) => item.type === "environment");
  if (environment === undefined) return undefined;
  return { environment, records: items.filter((item) => item.type === "environment-config") };
}

/** An environment with the record of one configuration, in one batch. */
export async function findConfig(
  config: ConfigName,
  options: { consistent: boolean },
): Promise<{ environment: Item<EnvironmentRecord>; record: Item<ConfigRecord> | undefined } | undefined> {
  const { projectKey, envKey } = config;
  const items = await table().getMany<EnvironmentRecord & ConfigRecord>(
    [keys.environment(projectKey, envKey), recordKey(config)],
    options,
  );
  const environment = items.find((item) => item.type === "environment");
  const record = items.find((item) => item.type === "environment-config");
  return environment && { environment, record };
}

/** Changes of a configuration by number, newest first; `from` and `to` are inclusive. */
export function findConfigChanges(config: ConfigName, from: number, to: number): Promise<Item<ConfigChange>[]> {
  const [first, last] = [changeKey(config, from), changeKey(config, to)];
  const options = { pk: first.pk, between: [first.sk, last.sk], descending: true, consistent: false } as const;
  return table().query<ConfigChange>(options);
}

/** The next state of a configuration and the change that led there; fails when the record changed since it was read. */
export function configChangeWrites(
  config: ConfigName,
  before: Item<ConfigRecord> | undefined,
  notes: ConfigNotes,
  change: Omit<ConfigChange, "revision" | "source">,
): Write[] {
  const revision = (before?.revision ?? 0) + 1;
  const { operation, by, at } = change;
  const made = operation === "create" ? { createdBy: by, createdAt: at } : { createdBy: "", createdAt: 0 };
  const record: ConfigRecord = {
    configType: config.configType,
    name: config.name,
    ...made,
    ...(before !== undefined && operation !== "create" && { createdBy: before.createdBy, createdAt: before.createdAt }),
    ...notes,
    revision,
    updatedBy: by,
    updatedAt: at,
    deleted: operation === "delete",
  };
  const item = { ...recordKey(config), type: "environment-config", ...record };
  return [
    before === undefined ? create(item) : replace(item, before.version),
    create({
      ...changeKey(config, revision),
      type: "environment-config-change",
      ...change,
      revision,
      source: notes.source,
    }),
  ];
}

/** Requires that an environment exists and is not being deleted: what is written below it would outlive it. */
export function environmentMustStay({
  projectKey,
  envKey,
  environmentId,
}: Pick<EnvironmentRecord, "projectKey" | "envKey" | "environmentId">): Write {
  const staying = environmentStatuses.filter((status) => status !== "deleting");
  const condition = both(mustBeOneOf("environmentId", [environmentId]), mustBeOneOf("status", staying));
  return named("environment", check(keys.environment(projectKey, envKey), condition));
}

const recordKey = ({ projectKey, envKey, configType, name }: ConfigName) =>
  keys.environmentConfig(projectKey, envKey, configType, name);
const changeKey = ({ projectKey, envKey, configType, name }: ConfigName, revision: number) =>
  keys.environmentConfigChange(projectKey, envKey, configType, name, revision);
