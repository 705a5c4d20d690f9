import { imageName, type ServiceContainer } from "../../../manifest/containers.ts";
import { isRecord } from "../../../manifest/schema/kubeObject.ts";
import { type ImagePattern, type ImagePatterns, patternsInUse } from "./imagePatterns.ts";
import type { Values } from "./mergeValues.ts";
import { parseValuePath, valueAt, withValueAt } from "./valuePath.ts";

type ImagePath = NonNullable<ServiceContainer["imagePath"]>;

/**
 * The images that values name, by the patterns of their project (contract P 13.4). Of equal names the first one.
 */
export function valueImages(values: Values, patterns: ImagePatterns): ServiceContainer[] {
  const found = new Map<string, ServiceContainer>();
  for (const imagePath of pathsIn(values, "", patternsInUse(patterns))) {
    const image = imageAt(values, imagePath);
    const name = image === undefined ? "" : imageName(image);
    if (image === undefined || name === "" || found.has(name)) continue;
    found.set(name, { name, type: "", image, imageName: name, imagePath });
  }
  return [...found.values()];
}

function pathsIn(values: Values, prefix: string, patterns: readonly ImagePattern[]): ImagePath[] {
  const here = patterns.flatMap((pattern) => matchIn(values, prefix, pattern) ?? []);
  const below = Object.entries(values).flatMap(([key, value]) =>
    isRecord(value) ? pathsIn(value, `${prefix}${key.replaceAll(/[.\\]/g, "\\$&")}.`, patterns) : [],
  );
  return [...here, ...below];
}

/** A tag may be missing, a registry and a namespace count where they exist. */
function matchIn(values: Values, prefix: string, { registry, namespace, image, tag }: ImagePattern) {
  const textBelow = (path: string) => (path === "" ? undefined : valueAt(values, path.split(".")));
  const repository = textBelow(image);
  if (typeof repository !== "string" || repository === "") return undefined;
  const standing = (path: string) => (typeof textBelow(path) === "string" ? prefix + path : "");
  return {
    repo: standing(registry),
    namespace: standing(namespace),
    image: prefix + image,
    tag: tag === "" ? "" : prefix + tag,
  };
}

/** The whole image at the paths. */
export function imageAt(values: Values, { repo, namespace, image, tag }: ImagePath): string | undefined {
  const repository = textAt(values, image);
  if (repository === undefined) return undefined;
  const version = textAt(values, tag);
  const digest = tag === "" ? undefined : textAt(values, digestPath(tag));
  const named = [textAt(values, repo), textAt(values, namespace), repository].filter(Boolean).join("/");
  if (digest !== undefined) return `${named}@${digest}`;
  return version === undefined ? named : `${named}:${version}`;
}

/**
 * Values with another image at the paths; a digest beside the tag goes, for it would win (decisions 11.10).
 * @returns undefined for an image by digest where the values have a tag alone
 */
export function withImageAt(values: Values, imagePath: ImagePath, image: string): Values | undefined {
  const { repo, namespace, image: repositoryPath, tag: tagPath } = imagePath;
  if (tagPath === "" && repo === "" && namespace === "") return put(values, repositoryPath, image);
  const [untagged = "", digest] = image.split("@");
  const colon = untagged.indexOf(":", untagged.lastIndexOf("/") + 1);
  const [name, tag] = colon < 0 ? [untagged, "latest"] : [untagged.slice(0, colon), untagged.slice(colon + 1)];
  const first = name.slice(0, Math.max(name.indexOf("/"), 0));
  const isRegistry = /[.:]/.test(first) || first === "localhost";
  const placed = { registry: "", namespace: "", repository: name };
  if (repo !== "") {
    placed.registry = isRegistry ? first : "docker.io";
    placed.repository = isRegistry ? name.slice(first.length + 1) : name;
  }
  if (namespace !== "") {
    const slash = placed.repository.lastIndexOf("/");
    placed.namespace = placed.repository.slice(0, Math.max(slash, 0));
    placed.repository = placed.repository.slice(slash + 1);
  }
  let changed = values;
  if (repo !== "") changed = put(changed, repo, placed.registry);
  if (namespace !== "") changed = put(changed, namespace, placed.namespace);
  if (tagPath === "") return put(changed, repositoryPath, placed.repository + image.slice(name.length));
  changed = put(changed, repositoryPath, placed.repository);
  const hasDigest = textOrEmptyAt(values, digestPath(tagPath)) !== undefined;
  if (digest !== undefined) return hasDigest ? put(changed, digestPath(tagPath), digest) : undefined;
  const tagged = put(changed, tagPath, tag);
  return hasDigest ? put(tagged, digestPath(tagPath), "") : tagged;
}

const digestPath = (tag: string): string => tag.replace(/[^.]+$/, "digest");

function put(values: Values, path: string, value: string): Values {
  return withValueAt(values, parseValuePath(path) ?? [], value);
}

function textAt(values: Values, path: string): string | undefined {
  return textOrEmptyAt(values, path) || undefined;
}

function textOrEmptyAt(values: Values, path: string): string | undefined {
  const value = path === "" ? undefined : valueAt(values, parseValuePath(path) ?? []);
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
