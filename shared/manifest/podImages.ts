import { isRecord, type KubeObject } from "./schema/kubeObject.ts";

const containerLists = ["initContainers", "containers", "ephemeralContainers"];

/** Every image that pods of these objects would run or mount, whatever the objects' kind; each once. */
export function podImages(objects: readonly KubeObject[]): string[] {
  const found = new Set<string>();
  for (const object of objects)
    mapPodImages(object, (image) => {
      found.add(image);
      return image;
    });
  return [...found];
}

/** The object with other images wherever it names one; the same object where none differs. */
export function mapPodImages<T>(value: T, rename: (image: string) => string): T {
  if (Array.isArray(value)) return mapped(value, (part) => mapPodImages(part, rename)) as T;
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => {
    const deeper = mapPodImages(inner, rename);
    if (!Array.isArray(deeper)) return [key, deeper] as const;
    if (containerLists.includes(key)) return [key, mapped(deeper, (one) => withImage(one, "image", rename))] as const;
    if (key === "volumes") return [key, mapped(deeper, (one) => withVolumeImage(one, rename))] as const;
    return [key, deeper] as const;
  });
  return entries.some(([key, inner]) => inner !== value[key]) ? (Object.fromEntries(entries) as T) : value;
}

function withVolumeImage(volume: unknown, rename: (image: string) => string): unknown {
  if (!isRecord(volume)) return volume;
  const image = withImage(volume.image, "reference", rename);
  return image === volume.image ? volume : { ...volume, image };
}

function withImage(holder: unknown, field: string, rename: (image: string) => string): unknown {
  if (!isRecord(holder) || typeof holder[field] !== "string" || holder[field] === "") return holder;
  const image = rename(holder[field]);
  return image === holder[field] ? holder : { ...holder, [field]: image };
}

function mapped(list: readonly unknown[], change: (part: unknown) => unknown): readonly unknown[] {
  const parts = list.map(change);
  return parts.some((part, at) => part !== list[at]) ? parts : list;
}
