import { imageName, type ServiceContainer } from "../../manifest/containers.ts";
import { isRecord } from "../../manifest/kubeObject.ts";
import type { Values } from "./mergeValues.ts";
import { parseValuePath, valueAt, withValueAt } from "./valuePath.ts";

type ImagePath = NonNullable<ServiceContainer["imagePath"]>;

/**
 * The images that values name, by the patterns of contract P 13.4: `image.repository` with `image.tag` and, where there is
 * one, `image.registry`; or `image` alone. Of equal names the first one.
 */
export function valueImages(values: Values): ServiceContainer[] {
  const found = new Map<string, ServiceContainer>();
  for (const imagePath of pathsIn(values, "")) {
    const image = imageAt(values, imagePath);
    const name = image === undefined ? "" : imageName(image);
    if (image === undefined || name === "" || found.has(name)) continue;
    found.set(name, { name, type: "", image, imageName: name, imagePath });
  }
  return [...found.values()];
}

function pathsIn(values: Values, prefix: string): ImagePath[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const path = prefix + key.replaceAll(/[.\\]/g, "\\$&");
    if (key === "image" && typeof value === "string" && value !== "") return [{ ...nowhere, image: path }];
    if (!isRecord(value)) return [];
    const image = key === "image" && typeof value.repository === "string" && value.repository !== "";
    const here = {
      ...nowhere,
      repo: typeof value.registry === "string" ? `${path}.registry` : "",
      image: `${path}.repository`,
      tag: `${path}.tag`,
    };
    return [...(image ? [here] : []), ...pathsIn(value, `${path}.`)];
  });
}

const nowhere: ImagePath = { repo: "", namespace: "", image: "", tag: "" };

/** The image that stands at the paths, whole. */
export function imageAt(values: Values, { repo, image, tag }: ImagePath): string | undefined {
  const repository = textAt(values, image);
  if (repository === undefined) return undefined;
  const [registry, version] = [textAt(values, repo), textAt(values, tag)];
  const digest = tag === "" ? undefined : textAt(values, digestPath(tag));
  const named = registry === undefined ? repository : `${registry}/${repository}`;
  if (digest !== undefined) return `${named}@${digest}`;
  return version === undefined ? named : `${named}:${version}`;
}

/**
 * Values with another image at the paths; a digest beside the tag goes, for it would win (decisions 11.10).
 * @returns undefined for an image by digest where the values have a tag alone
 */
export function withImageAt(values: Values, imagePath: ImagePath, image: string): Values | undefined {
  const { repo, image: repositoryPath, tag: tagPath } = imagePath;
  if (tagPath === "") return put(values, repositoryPath, image);
  const [untagged = "", digest] = image.split("@");
  const colon = untagged.indexOf(":", untagged.lastIndexOf("/") + 1);
  const [name, tag] = colon < 0 ? [untagged, "latest"] : [untagged.slice(0, colon), untagged.slice(colon + 1)];
  const slash = name.indexOf("/");
  const first = name.slice(0, Math.max(slash, 0));
  const isRegistry = /[.:]/.test(first) || first === "localhost";
  const placed =
    repo === ""
      ? put(values, repositoryPath, name)
      : put(
          put(values, repo, isRegistry ? first : "docker.io"),
          repositoryPath,
          isRegistry ? name.slice(slash + 1) : name,
        );
  const hasDigest = textOrEmptyAt(values, digestPath(tagPath)) !== undefined;
  if (digest !== undefined) return hasDigest ? put(placed, digestPath(tagPath), digest) : undefined;
  const tagged = put(placed, tagPath, tag);
  return hasDigest ? put(tagged, digestPath(tagPath), "") : tagged;
}

const digestPath = (tag: string): string => tag.replace(/tag$/, "digest");

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
