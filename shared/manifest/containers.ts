import { isRecord, type KubeObject } from "./schema/kubeObject.ts";
import { at, CONTAINER_LISTS, podSpecPath } from "./workloads.ts";

/** A service module (contract P 13). */
export interface ServiceContainer {
  name: string;
  type: "" | "init";
  image: string;
  /** What links the module to builds and registry repositories (P 13.8). */
  imageName: string;
  /** The parts of an image that a chart's values hold; null for modules of manifests. */
  imagePath: null | { repo: string; namespace: string; image: string; tag: string };
}

/**
 * The containers of a service's objects: init containers of a workload before its others, of equal names the first one
 * (P 13.2). Reading stops at a container without name or image (P 13.5).
 */
export function extractContainers(objects: readonly KubeObject[]): ServiceContainer[] {
  const found = new Map<string, ServiceContainer>();
  for (const { container, type } of objects.flatMap(listContainers)) {
    const [name, image] = [at(container, ["name"]), at(container, ["image"])];
    if (typeof name !== "string" || typeof image !== "string" || !name || !image) break;
    if (!found.has(name)) found.set(name, { name, type, image, imageName: imageName(image), imagePath: null });
  }
  return [...found.values()];
}

/** The containers of one object as they stand in it, init containers first. */
export function containersOf(object: KubeObject): unknown[] {
  return listContainers(object).map(({ container }) => container);
}

function listContainers(object: KubeObject): { container: unknown; type: ServiceContainer["type"] }[] {
  const path = podSpecPath(object.kind);
  const spec = path && at(object, path);
  return CONTAINER_LISTS.flatMap((list) => {
    const containers = at(spec, [list]);
    const type = list === "initContainers" ? "init" : "";
    return Array.isArray(containers) ? containers.map((container: unknown) => ({ container, type }) as const) : [];
  });
}

/** The last part of an image's repository, without tag and digest: `reg.io:5000/ns/app:v1` gives `app` (P 13.3). */
export function imageName(reference: string): string {
  const [untagged = ""] = reference.split("@");
  const [name = ""] = untagged.slice(untagged.lastIndexOf("/") + 1).split(":");
  return name;
}

/** Sets images by container name (P 11.7); what is unchanged is the same object, nothing is changed in place. */
export function replaceImages(objects: readonly KubeObject[], images: Readonly<Record<string, string>>): KubeObject[] {
  return objects.map((object) => {
    const path = podSpecPath(object.kind);
    return path ? withImages(object, path, images) : object;
  });
}

function withImages<T>(value: T, path: readonly string[], images: Readonly<Record<string, string>>): T {
  if (!isRecord(value)) return value;
  const [key, ...rest] = path;
  if (key !== undefined) {
    if (!Object.hasOwn(value, key)) return value;
    const replaced = withImages(value[key], rest, images);
    return replaced === value[key] ? value : { ...value, [key]: replaced };
  }
  const changed: Record<string, unknown> = {};
  for (const list of CONTAINER_LISTS) {
    const containers = at(value, [list]);
    if (!Array.isArray(containers)) continue;
    const replaced = containers.map((container: unknown) => withImage(container, images));
    if (replaced.some((container, index) => container !== containers[index])) changed[list] = replaced;
  }
  return Object.keys(changed).length === 0 ? value : { ...value, ...changed };
}

function withImage(container: unknown, images: Readonly<Record<string, string>>): unknown {
  if (!isRecord(container)) return container;
  const { name, image } = container;
  const wanted = typeof name === "string" && Object.hasOwn(images, name) ? images[name] : undefined;
  return !wanted || wanted === image ? container : { ...container, image: wanted };
}
