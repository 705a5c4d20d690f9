import type { Cluster } from "../controllers/controller.ts";
import { at, dictAt, type KubeObject } from "../model/object.ts";
import type { Container, EnvVar, Pod } from "../model/workloads.ts";

/** A reference of a pod to something that is not there; the container waits until it is. */
export class MissingReference extends Error {}

const basePath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * The whole environment of a container: a path, the pod's name as host name, the word by which scripts know that they run
 * on the machine itself, then what the spec says. Nothing of the sandbox's own environment is in it. Throws
 * MissingReference.
 */
export function environmentOf(cluster: Cluster, pod: Pod, container: Container): Record<string, string> {
  const result: Record<string, string> = { PATH: basePath, HOSTNAME: pod.metadata.name, container: "slipway-sandbox" };
  for (const source of container.envFrom ?? []) {
    const prefix = source.prefix ?? "";
    const [kind, reference] = source.configMapRef
      ? (["configmaps", source.configMapRef] as const)
      : (["secrets", source.secretRef] as const);
    if (!reference) continue;
    const found = lookUp(cluster, pod, kind, reference.name, reference.optional);
    for (const [key, value] of Object.entries(found ? contentOf(found) : {}))
      result[prefix + key] = value.toString("utf8");
  }
  for (const variable of container.env ?? []) {
    const value = variableValue(cluster, pod, variable, result);
    if (value !== undefined) result[variable.name] = value;
  }
  return result;
}

function variableValue(
  cluster: Cluster,
  pod: Pod,
  variable: EnvVar,
  known: Record<string, string>,
): string | undefined {
  const source = variable.valueFrom;
  if (!source) return expand(variable.value ?? "", known);
  if (source.fieldRef) return fieldOf(pod, source.fieldRef.fieldPath);
  const kind = source.configMapKeyRef ? "configmaps" : "secrets";
  const reference = source.configMapKeyRef ?? source.secretKeyRef;
  if (!reference) return "";
  const found = lookUp(cluster, pod, kind, reference.name, reference.optional);
  const value = found && contentOf(found)[reference.key];
  if (found && !value && !reference.optional) {
    throw new MissingReference(
      `couldn't find key ${reference.key} in ${found.kind} ${pod.metadata.namespace}/${reference.name}`,
    );
  }
  return value?.toString("utf8");
}

/** Replaces `$(NAME)` by the variable's value; `$$(` is a literal, an unknown name stays as it is. */
export function expand(text: string, variables: Record<string, string>): string {
  return text.replace(/\$\$|\$\(([^()]+)\)/g, (whole, name: string | undefined) =>
    name === undefined ? "$" : (variables[name] ?? whole),
  );
}

/** A field of the pod as the downward API names it. */
export function fieldOf(pod: Pod, path: string): string {
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  if (keyed?.[1] && keyed[2]) return String(dictAt(pod.metadata, keyed[1])[keyed[2]] ?? "");
  const value = at(pod, ...path.split("."));
  if (typeof value === "object" && value !== null) {
    return Object.entries(value)
      .map(([key, item]) => `${key}=${JSON.stringify(item)}`)
      .join("\n");
  }
  return String(value ?? "");
}

/** The named ConfigMap or Secret of the pod's namespace; undefined when it is missing and optional. */
export function lookUp(
  cluster: Cluster,
  pod: Pod,
  kind: "configmaps" | "secrets",
  name: string,
  optional: boolean | undefined,
): KubeObject | undefined {
  const found = cluster.get(kind, pod.metadata.namespace ?? "", name);
  if (found || optional) return found;
  throw new MissingReference(`${kind.slice(0, -1)} ${JSON.stringify(name)} not found`);
}

/** The values of a ConfigMap or Secret as bytes. */
export function contentOf(object: KubeObject): Record<string, Buffer> {
  const encoding = object.kind === "Secret" ? "base64" : "utf8";
  const result: Record<string, Buffer> = {};
  for (const [key, value] of Object.entries(dictAt(object, "data"))) result[key] = Buffer.from(String(value), encoding);
  for (const [key, value] of Object.entries(dictAt(object, "binaryData")))
    result[key] = Buffer.from(String(value), "base64");
  return result;
}
