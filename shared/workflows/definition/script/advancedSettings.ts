import * as z from "zod";
import { type Output, outputNames } from "./output.ts";
import { refuseDuplicates } from "./refuseDuplicates.ts";
import {
  defaultResources,
  type ResourceSpec,
  resourceSpecInput,
  shownResourceSpec,
  showResourceSpec,
} from "./resourceSpec.ts";
import { noStorages, type Storages, shownStorages, showStorages, storagesInput } from "./storage.ts";
import { optionalText } from "./texts.ts";

/** A label or an annotation of the objects of a job. */
interface MetadataEntry {
  key: string;
  value: string;
}

/** A key of Kubernetes: an optional DNS prefix and a name. */
const keyForm = /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?$/;
const labelValueForm = /^(?:[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?)?$/;

/** What of a job is ours to label (contract W 11.1): custom labels may not override it. */
const reservedLabels = ["s-name", "s-type"];

/** Checked by the rules of Kubernetes, so that a job never fails for them when it starts. */
function metadataInputs(sort: "label" | "annotation") {
  const key = z.string("must be a text").regex(keyForm, `must be the key of a Kubernetes ${sort}`);
  const value = z.string("must be a text");
  const entry = z.object({
    key:
      sort === "annotation"
        ? key
        : key.refine(
            (text) => !reservedLabels.includes(text) && !text.startsWith("slipway.dev/"),
            "is a label that Slipway sets itself",
          ),
    value:
      sort === "annotation"
        ? value.max(4096, "must have at most 4096 characters")
        : value.regex(labelValueForm, "must be the value of a Kubernetes label"),
  });
  return z.array(entry).max(50, `must have at most 50 ${sort}s`).superRefine(refuseDuplicates("key"));
}

/** A directory that is kept from one run of a job to the next. */
export interface CacheSetting {
  enabled: boolean;
  /** Empty: the whole workspace (contract W 11.6). */
  directory: string;
}

/** Where and how a job runs, apart from what it does (contract W 10.1). */
export interface JobSettings {
  /** Minutes; 0: the platform's default. */
  timeoutMinutes: number;
  resources: ResourceSpec;
  useHostDockerDaemon: boolean;
  privilegedMode: boolean;
  cache: CacheSetting;
  storages: Storages;
  annotations: readonly MetadataEntry[];
  labels: readonly MetadataEntry[];
  /** Declared ones; what a kind of job always leaves is not among them. */
  outputs: readonly Output[];
}

export interface AdvancedSettings extends JobSettings {
  clusterId: string;
  /** A strategy of that cluster; empty: its default when the job starts. */
  strategyId: string;
}

/** As callers send them: by names, both of which may be empty. */
export interface AdvancedSettingsInput extends JobSettings {
  clusterName: string;
  strategyName: string;
}

export const defaultTimeoutMinutes = 60;
const maxTimeoutMinutes = 10_080;

/** Used for settings that were not given. */
export const defaultSettings: AdvancedSettingsInput = {
  clusterName: "",
  strategyName: "",
  timeoutMinutes: defaultTimeoutMinutes,
  resources: defaultResources,
  useHostDockerDaemon: false,
  privilegedMode: false,
  cache: { enabled: false, directory: "" },
  storages: noStorages,
  annotations: [],
  labels: [],
  outputs: [],
};

const cacheInput = z
  .object({ enabled: z.boolean("must be true or false"), cache_dir: optionalText(1024) })
  .transform(({ enabled, cache_dir }): CacheSetting => ({ enabled, directory: cache_dir }));

export const timeoutInput = z
  .int("must be a whole number of minutes")
  .min(0, "must be at least 0")
  .max(maxTimeoutMinutes, `must be at most ${maxTimeoutMinutes} minutes`);

/** `advanced_settings` of builds and tests; scans add to it. */
export const advancedSettingsFields = {
  cluster_name: optionalText(100).default(""),
  strategy_name: optionalText(64).default(""),
  timeout: timeoutInput.default(0),
  resource_spec: resourceSpecInput.optional(),
  use_host_docker_daemon: z.boolean("must be true or false").default(false),
  privileged_mode: z.boolean("must be true or false").default(false),
  cache_setting: cacheInput.nullish(),
  storages: storagesInput.nullish(),
  custom_annotations: metadataInputs("annotation").nullish(),
  custom_labels: metadataInputs("label").nullish(),
  outputs: outputNames.nullish(),
};
const sent = z.object(advancedSettingsFields);

export const advancedSettingsInput = sent.transform(readSettings);

export function readSettings(given: z.output<typeof sent>): AdvancedSettingsInput {
  return {
    clusterName: given.cluster_name,
    strategyName: given.strategy_name,
    timeoutMinutes: given.timeout,
    resources: given.resource_spec ?? defaultSettings.resources,
    useHostDockerDaemon: given.use_host_docker_daemon,
    privilegedMode: given.privileged_mode,
    cache: given.cache_setting ?? defaultSettings.cache,
    storages: given.storages ?? defaultSettings.storages,
    annotations: given.custom_annotations ?? [],
    labels: given.custom_labels ?? [],
    outputs: given.outputs ?? [],
  };
}

const entries = z.array(z.object({ key: z.string(), value: z.string() }));

export const shownAdvancedSettings = z
  .object({
    cluster_name: z.string(),
    strategy_name: z.string(),
    timeout: z.int(),
    resource_spec: shownResourceSpec,
    use_host_docker_daemon: z.boolean(),
    privileged_mode: z.boolean(),
    cache_setting: z.object({ enabled: z.boolean(), cache_dir: z.string() }),
    storages: shownStorages,
    custom_annotations: entries,
    custom_labels: entries,
    outputs: z.array(z.string()),
  })
  .meta({ id: "JobSettings" });

export function showSettings(
  settings: JobSettings,
  place: { clusterName: string; strategyName: string },
): z.input<typeof shownAdvancedSettings> {
  return {
    cluster_name: place.clusterName,
    strategy_name: place.strategyName,
    timeout: settings.timeoutMinutes,
    resource_spec: showResourceSpec(settings.resources),
    use_host_docker_daemon: settings.useHostDockerDaemon,
    privileged_mode: settings.privilegedMode,
    cache_setting: { enabled: settings.cache.enabled, cache_dir: settings.cache.directory },
    storages: showStorages(settings.storages),
    custom_annotations: settings.annotations.map(({ key, value }) => ({ key, value })),
    custom_labels: settings.labels.map(({ key, value }) => ({ key, value })),
    outputs: settings.outputs.map(({ name }) => name),
  };
}
