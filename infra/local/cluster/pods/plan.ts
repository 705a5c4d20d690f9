import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "../controllers/controller.ts";
import type { Container, Pod } from "../model/workloads.ts";
import { environmentOf, expand } from "./environment.ts";
import { isolated, type Mount, rewritePaths } from "./isolation.ts";
import { createVolumes, folderOf } from "./volumes.ts";

/** What the shim needs to run one container; everything is resolved. */
export interface PlannedContainer {
  name: string;
  /** Empty when the container names no command. */
  command: string[];
  environment: Record<string, string>;
  workingDir: string;
  logPath: string;
  terminationPath: string;
  messageFromLog: boolean;
}

export interface PodPlan {
  initContainers: PlannedContainer[];
  containers: PlannedContainer[];
  restartOnFailure: boolean;
  graceSeconds: number;
  activeDeadlineSeconds?: number;
}

/**
 * Resolves a pod into commands, environments and files under its folder. Throws MissingReference.
 * @param separate whether containers run in namespaces of their own; paths of volumes are replaced in their texts otherwise
 */
export function planPod(
  cluster: Cluster,
  pod: Pod,
  folders: { pod: string; claims: string; hidden: readonly string[] },
  separate: boolean,
): PodPlan {
  for (const name of ["logs", "termination", "root", "tmp"]) mkdirSync(join(folders.pod, name), { recursive: true });
  const { initContainers = [], containers, volumes = [] } = pod.spec;
  const places = new Map(volumes.map((volume) => [volume.name, folderOf(pod, volume, folders)]));
  const everywhere = [...initContainers, ...containers].flatMap((container) =>
    mountsOf(container, places, folders.pod),
  );
  createVolumes(cluster, pod, folders, (text) => (separate ? text : rewritePaths(text, everywhere)));
  const plan = (container: Container) => planContainer(cluster, pod, container, places, folders, separate);
  const seconds = pod.spec.activeDeadlineSeconds;
  return {
    initContainers: initContainers.map(plan),
    containers: containers.map(plan),
    restartOnFailure: pod.spec.restartPolicy === "OnFailure",
    graceSeconds: pod.spec.terminationGracePeriodSeconds ?? 30,
    ...(seconds === undefined ? {} : { activeDeadlineSeconds: seconds }),
  };
}

function mountsOf(container: Container, places: Map<string, string>, folder: string): Mount[] {
  const volumes = (container.volumeMounts ?? []).flatMap((mount) => {
    const place = places.get(mount.name);
    const inner = (mount.subPath ?? "").split("/").filter((part) => part !== "" && part !== "..");
    return place ? [{ source: join(place, ...inner), target: mount.mountPath.replace(/(.)\/+$/, "$1") }] : [];
  });
  const message = {
    source: join(folder, "termination", container.name),
    target: container.terminationMessagePath ?? "/dev/termination-log",
  };
  return [...volumes, message];
}

function planContainer(
  cluster: Cluster,
  pod: Pod,
  container: Container,
  places: Map<string, string>,
  { pod: folder, hidden }: { pod: string; hidden: readonly string[] },
  separate: boolean,
): PlannedContainer {
  const mounts = mountsOf(container, places, folder);
  const terminationPath = join(folder, "termination", container.name);
  writeFileSync(terminationPath, "");
  for (const mount of container.volumeMounts ?? []) {
    const place = places.get(mount.name);
    if (place && mount.subPath) ensureSubPath(mounts.find((m) => m.target === mount.mountPath)?.source);
  }
  const environment = environmentOf(cluster, pod, container);
  const words = [...(container.command ?? []), ...(container.args ?? [])].map((word) => expand(word, environment));
  const command = container.command?.length ? words : [];
  const common = { name: container.name, logPath: join(folder, "logs", container.name), terminationPath };
  const messageFromLog = container.terminationMessagePolicy === "FallbackToLogsOnError";
  if (separate) {
    const inside = container.workingDir || "/";
    const own = [...mounts, { source: join(folder, "tmp"), target: "/tmp" }];
    const root = join(folder, "root");
    const line = command.length > 0 ? isolated({ command, workingDir: inside, root, mounts: own, hidden }) : [];
    return {
      ...common,
      command: line,
      environment: { HOME: "/tmp", ...environment },
      workingDir: folder,
      messageFromLog,
    };
  }
  const rewrite = (text: string) => rewritePaths(text, mounts);
  const rewritten = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, rewrite(value)]));
  const workspace = mounts[0]?.source ?? folder;
  return {
    ...common,
    command: command.map(rewrite),
    environment: { HOME: join(folder, "tmp"), WORKSPACE: workspace, ...rewritten },
    workingDir: container.workingDir ? rewrite(container.workingDir) : folder,
    messageFromLog,
  };
}

function ensureSubPath(source: string | undefined): void {
  try {
    if (source) mkdirSync(source, { recursive: true });
  } catch {
    // It is a file of the volume, which is just as well.
  }
}
