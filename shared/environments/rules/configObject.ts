import { RENDERED_LIMITS } from "../../manifest/limits.ts";
import { ManifestError } from "../../manifest/manifestError.ts";
import { parseDocuments } from "../../manifest/parseManifest.ts";
import { isRecord, type KubeObject } from "../../manifest/schema/kubeObject.ts";

/** Kinds of configuration objects of an environment, as the API names them (contract P 7). */
export const configTypes = ["ConfigMap", "Secret", "Ingress", "PVC"] as const;
export type ConfigType = (typeof configTypes)[number];

/** What the cluster calls each type. */
export const configKinds: Readonly<Record<ConfigType, { apiVersion: string; kind: string }>> = {
  ConfigMap: { apiVersion: "v1", kind: "ConfigMap" },
  Secret: { apiVersion: "v1", kind: "Secret" },
  Ingress: { apiVersion: "networking.k8s.io/v1", kind: "Ingress" },
  PVC: { apiVersion: "v1", kind: "PersistentVolumeClaim" },
};

/**
 * Reads the one object of a configuration.
 * @throws ManifestError for several objects or another kind, and for what of a manifest would only be warned of
 */
export function parseConfigObject(text: string): KubeObject {
  const documents = parseDocuments(text, RENDERED_LIMITS);
  const [warning] = documents.flatMap(({ warnings }) => warnings);
  if (warning !== undefined) throw new ManifestError("syntax", warning.message, { line: warning.line });
  const objects = documents.flatMap((document) => document.objects);
  const [object] = objects;
  if (object === undefined || objects.length > 1)
    throw new ManifestError("object", "a configuration holds exactly one object");
  if (findConfigType(object) === undefined)
    throw new ManifestError(
      "object",
      `kind ${object.kind} is no configuration; use ConfigMap, Secret, Ingress or PersistentVolumeClaim`,
    );
  return object;
}

/** The API's name for the kind of a configuration object. */
export function configTypeOf(object: Pick<KubeObject, "kind">): ConfigType {
  return findConfigType(object) ?? "ConfigMap";
}

function findConfigType({ kind }: Pick<KubeObject, "kind">): ConfigType | undefined {
  return configTypes.find((type) => configKinds[type].kind === kind);
}

/** Where a configuration goes: what its placeholders stand for. */
export interface ConfigContext {
  projectKey: string;
  envKey: string;
  namespace: string;
  clusterName: string;
}

/**
 * A configuration as it is applied: in the values of a ConfigMap the placeholders of contract P 11.4 are filled in, in
 * lower case; the plain texts of a Secret become data, so that one left out later leaves the Secret. The input stays.
 */
export function completeConfig(object: KubeObject, context: ConfigContext): KubeObject {
  if (object.kind === "ConfigMap" && isRecord(object.data))
    return { ...object, data: mapValues(object.data, (value) => filled(value, context)) };
  if (object.kind !== "Secret" || !isRecord(object.stringData)) return object;
  const { stringData, ...rest } = object;
  const encoded = mapValues(stringData, (value) => Buffer.from(String(value ?? "")).toString("base64"));
  return { ...rest, data: { ...(isRecord(object.data) && object.data), ...encoded } };
}

function filled(value: unknown, { projectKey, envKey, namespace, clusterName }: ConfigContext): unknown {
  if (typeof value !== "string") return value;
  const values: Readonly<Record<string, string>> = {
    $Namespace$: namespace,
    $EnvName$: envKey,
    $Product$: projectKey,
    $ClusterName$: clusterName,
  };
  return value.replace(/\$(?:Namespace|EnvName|Product|ClusterName)\$/g, (found) =>
    (values[found] ?? "").toLowerCase(),
  );
}

function mapValues(
  map: Readonly<Record<string, unknown>>,
  change: (value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}
