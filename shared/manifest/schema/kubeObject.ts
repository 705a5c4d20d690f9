/** A Kubernetes object as a manifest has it. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    [key: string]: unknown;
  };
  [key: string]: unknown;
}

/** Whether a value is a map. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a list of objects (`kind: List`, `ConfigMapList`, …) rather than an object. */
export function isObjectList(value: unknown): value is { kind: string; items: unknown[] } {
  return isRecord(value) && typeof value.kind === "string" && value.kind.endsWith("List") && Array.isArray(value.items);
}

/** Checks what every object needs; gives the object (null labels and the like left out) or the problem as text. */
export function checkObject(value: unknown): KubeObject | string {
  if (!isRecord(value)) return `an object must be a map with apiVersion, kind and metadata, not ${named(value)}`;
  const { apiVersion, kind, metadata } = value;
  if (!isText(apiVersion)) return `apiVersion ${wrong(apiVersion)}; it must be text such as apps/v1`;
  if (!isText(kind)) return `kind ${wrong(kind)}; it must be text such as Deployment`;
  if (!isRecord(metadata)) return `metadata ${wrong(metadata)}; it must be a map with a name`;
  const { name, namespace, labels, annotations, ...rest } = metadata;
  if (rest.generateName !== undefined && rest.generateName !== null && !isText(name)) {
    return "metadata.generateName cannot be used, because the object could not be found again; give metadata.name";
  }
  if (!isText(name)) return `metadata.name ${wrong(name)}; it must be text${hint(name)}`;
  if (!isAbsent(namespace) && !isText(namespace))
    return `metadata.namespace ${wrong(namespace)}; it must be text${hint(namespace)}`;
  const problem = textMapProblem("labels", labels) ?? textMapProblem("annotations", annotations);
  if (problem) return problem;
  return {
    ...value,
    apiVersion,
    kind,
    metadata: {
      name,
      ...(isAbsent(namespace) ? {} : { namespace }),
      ...(isAbsent(labels) ? {} : { labels: textMap(labels) }),
      ...(isAbsent(annotations) ? {} : { annotations: textMap(annotations) }),
      ...rest,
    },
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function named(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value)
    ? "a list"
    : typeof value === "object"
      ? "a map"
      : `the ${typeof value} ${JSON.stringify(value)}`;
}

function wrong(value: unknown): string {
  return isAbsent(value) || value === "" ? "is missing" : `is ${named(value)}`;
}

function hint(value: unknown): string {
  return typeof value === "number" || typeof value === "boolean" ? "; put it in quotes" : "";
}

function textMapProblem(field: string, value: unknown): string | undefined {
  if (isAbsent(value)) return undefined;
  if (!isRecord(value)) return `metadata.${field} ${wrong(value)}; it must be a map of texts`;
  const found = Object.entries(value).find(([, item]) => item !== null && typeof item !== "string");
  return found && `metadata.${field}.${found[0]} is ${named(found[1])}; it must be text${hint(found[1])}`;
}

/** Kubernetes reads null as empty text here. */
function textMap(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(value ?? {}).map(([key, item]) => [key, item === null ? "" : String(item)]));
}
