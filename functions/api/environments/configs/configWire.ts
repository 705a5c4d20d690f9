import type * as z from "zod";
import { unixSeconds } from "../../../../shared/base/common/dateTime.ts";
import type { readConfig } from "../../../../shared/environments/configs/readConfig.ts";
import type { ReadConfigChange } from "../../../../shared/environments/configs/readConfigHistory.ts";
import type { ListedConfig } from "../../../../shared/environments/configs/readConfigs.ts";
import type { WantedConfig } from "../../../../shared/environments/configs/saveConfig.ts";
import type { EnvironmentName } from "../../../../shared/environments/requireEnvironment.ts";
import type { ConfigType } from "../../../../shared/environments/rules/configObject.ts";
import type { ConfigRecord, ConfigSource } from "../../../../shared/environments/store/configRecords.ts";
import type { LiveObject } from "../../../../shared/kube/client/ClusterClient.ts";
import { dumpYaml } from "../../../../shared/manifest/parseYaml.ts";
import { isRecord } from "../../../../shared/manifest/schema/kubeObject.ts";
import { at } from "../../../../shared/manifest/workloads.ts";
import type { configDetail, configHistory, configItem, newConfig } from "./configSchemas.ts";
import { toConfigSource } from "./configSource.ts";

type Detail = z.input<typeof configDetail>;

export function toWantedConfig(body: z.output<typeof newConfig>): WantedConfig {
  const { services, auto_sync, source_detail } = body;
  return {
    name: body.name,
    type: body.common_env_cfg_type,
    yaml: body.yaml_data,
    notes: {
      ...(services !== undefined && { services }),
      ...(auto_sync !== undefined && { autoSync: auto_sync }),
      ...(source_detail != null && { source: toConfigSource(source_detail) }),
    },
  };
}

export function toConfigItem(
  environment: EnvironmentName,
  { type, name, record }: ListedConfig,
): z.input<typeof configItem> {
  return {
    name,
    env_name: environment.envKey,
    project_name: environment.projectKey,
    common_env_cfg_type: type,
    ...(record !== undefined && !record.deleted && { update_by: record.updatedBy, update_time: record.updatedAt }),
  };
}

export function toConfigChange(
  type: ConfigType,
  name: string,
  { revision, operation, by, at: time, yaml, source }: ReadConfigChange,
): z.input<typeof configHistory>[number] {
  return {
    ...{ revision, name, common_env_cfg_type: type, operation, create_by: by, create_time: time, yaml_data: yaml },
    source_detail: toSource(source),
  };
}

/** Contract P 7.3: what is empty is absent. */
export function toConfigDetail(
  environment: EnvironmentName,
  type: ConfigType,
  { live, record, followed }: Awaited<ReturnType<typeof readConfig>>,
): Detail {
  const following = followed && { auto_sync: true as const, ...filled({ sync_error: followed.problem }) };
  const common = { ...commonOf(environment, type, live, record), ...following };
  switch (type) {
    case "ConfigMap":
      return {
        configMap_detail: {
          ...common,
          ...(live.immutable === true && { immutable: true }),
          ...(isRecord(live.data) && { cm_data: live.data as Record<string, string> }),
        },
      };
    case "Secret":
      return { secret_detail: { ...common, ...filled({ secret_type: textAt(live, ["type"]) }) } };
    case "Ingress":
      return { ingress_detail: { ...common, ...filled(ingressOf(live)) } };
    case "PVC":
      return { pvc_detail: { ...common, ...filled(claimOf(live)) } };
  }
}

function commonOf(environment: EnvironmentName, type: ConfigType, live: LiveObject, record: ConfigRecord | undefined) {
  const created = record?.createdAt || unixSeconds(live.metadata.creationTimestamp);
  const { status: _status, ...rest } = live;
  const { managedFields: _managed, ...metadata } = live.metadata;
  return {
    name: live.metadata.name,
    project_key: environment.projectKey,
    env_key: environment.envKey,
    common_env_cfg_type: type,
    ...filled({ created_by: record?.createdBy, update_by: record?.updatedBy }),
    ...(created > 0 && { created_time: created }),
    ...(record !== undefined && { update_time: record.updatedAt }),
    yaml_data: dumpYaml({ ...rest, metadata }),
    ...(record !== undefined && record.services.length > 0 && { services: record.services }),
    source_detail: toSource(record?.source ?? null),
  };
}

function ingressOf(live: LiveObject): Record<string, string> {
  const hosts = listAt(live, ["spec", "rules"]).map((rule) => textAt(rule, ["host"]) || "*");
  const addresses = listAt(live, ["status", "loadBalancer", "ingress"]);
  const secured = listAt(live, ["spec", "tls"]).length > 0;
  return {
    host_info: hosts.join(","),
    address: addresses.map((one) => textAt(one, ["ip"]) || textAt(one, ["hostname"])).join(","),
    ports: secured ? "80, 443" : "80",
    error_reason: addresses
      .flatMap((one) => listAt(one, ["ports"]).map((port) => textAt(port, ["error"])))
      .filter((error) => error !== "")
      .join("; "),
  };
}

/** As kubectl shows them. */
const accessModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

function claimOf(live: LiveObject): Record<string, string> {
  const granted = listAt(live, ["status", "accessModes"]);
  const modes = granted.length > 0 ? granted : listAt(live, ["spec", "accessModes"]);
  return {
    status: textAt(live, ["status", "phase"]),
    volume: textAt(live, ["spec", "volumeName"]),
    access_modes: modes.map((mode) => accessModes[String(mode)] ?? String(mode)).join(","),
    storage_class: textAt(live, ["spec", "storageClassName"]),
    capacity:
      textAt(live, ["status", "capacity", "storage"]) || textAt(live, ["spec", "resources", "requests", "storage"]),
  };
}

function toSource(source: ConfigSource | null): NonNullable<Detail["pvc_detail"]>["source_detail"] {
  if (source === null) return null;
  const { gitRepo, loadPath } = source;
  return {
    ...(isRecord(gitRepo) && { git_repo_config: gitRepo as Record<string, z.core.util.JSONType> }),
    ...(loadPath !== undefined && { load_path: loadPath }),
  };
}

function filled<K extends string>(texts: Record<K, string | undefined>): Partial<Record<K, string>> {
  const given = Object.entries<string | undefined>(texts).filter(([, text]) => text !== undefined && text !== "");
  return Object.fromEntries(given) as Partial<Record<K, string>>;
}

function textAt(value: unknown, path: readonly string[]): string {
  const found = at(value, path);
  return typeof found === "string" || typeof found === "number" ? String(found) : "";
}

function listAt(value: unknown, path: readonly string[]): readonly unknown[] {
  const found = at(value, path);
  return Array.isArray(found) ? found : [];
}
