import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Cluster } from "../controllers/controller.ts";
import { at, type Dict, dictsAt, isDict, textAt } from "../model/object.ts";
import type { KeyToPath, Pod, Volume } from "../model/workloads.ts";
import { contentOf, fieldOf, lookUp } from "./environment.ts";

/**
 * Puts the pod's volumes on disk and returns where each one is. `rewrite` is applied to the text of mounted ConfigMaps
 * and Secrets. Throws MissingReference.
 */
export function createVolumes(
  cluster: Cluster,
  pod: Pod,
  folders: { pod: string; claims: string },
  rewrite: (text: string) => string,
): Map<string, string> {
  const result = new Map<string, string>();
  for (const volume of pod.spec.volumes ?? []) {
    const folder = folderOf(pod, volume, folders);
    mkdirSync(folder, { recursive: true });
    for (const source of [volume, ...dictsAt(volume, "projected", "sources")]) {
      for (const file of filesOf(cluster, pod, source)) writeVolumeFile(folder, file, rewrite);
    }
    result.set(volume.name, folder);
  }
  return result;
}

/** Where a volume is: claims outlive the pod, host paths are themselves. */
export function folderOf(pod: Pod, volume: Volume, folders: { pod: string; claims: string }): string {
  if (volume.persistentVolumeClaim) {
    return join(folders.claims, pod.metadata.namespace ?? "", volume.persistentVolumeClaim.claimName);
  }
  const hostPath = textAt(volume, "hostPath", "path");
  return hostPath || join(folders.pod, "volumes", volume.name);
}

interface VolumeFile {
  path: string;
  content: Buffer;
  mode: number;
}

function filesOf(cluster: Cluster, pod: Pod, source: Dict | Volume): VolumeFile[] {
  const downward = dictsAt(source, "downwardAPI", "items").map((item) => ({
    path: textAt(item, "path"),
    content: Buffer.from(fieldOf(pod, textAt(item, "fieldRef", "fieldPath"))),
    mode: 0o644,
  }));
  return [
    ...downward,
    ...referenced(cluster, pod, source.configMap, "configmaps"),
    ...referenced(cluster, pod, source.secret, "secrets"),
  ];
}

function referenced(cluster: Cluster, pod: Pod, source: unknown, kind: "configmaps" | "secrets"): VolumeFile[] {
  if (!isDict(source)) return [];
  const name = textAt(source, "secretName") || textAt(source, "name");
  const found = lookUp(cluster, pod, kind, name, source.optional === true);
  const content = found ? contentOf(found) : {};
  const all: KeyToPath[] = Object.keys(content).map((key) => ({ key, path: key }));
  const items = Array.isArray(source.items) ? (source.items as KeyToPath[]) : all;
  const mode = Number(at(source, "defaultMode") ?? 0o644);
  return items.flatMap((item) => {
    const bytes = content[item.key];
    return bytes ? [{ path: item.path, content: bytes, mode: item.mode ?? mode }] : [];
  });
}

function writeVolumeFile(folder: string, file: VolumeFile, rewrite: (text: string) => string): void {
  const parts = file.path.split("/");
  if (parts.includes("..") || file.path.startsWith("/")) return;
  const path = join(folder, ...parts);
  mkdirSync(dirname(path), { recursive: true });
  const text = file.content.toString("utf8");
  const isText = Buffer.from(text).equals(file.content);
  writeFileSync(path, isText ? rewrite(text) : file.content);
  chmodSync(path, file.mode);
}
