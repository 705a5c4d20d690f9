import type { ContainerJob } from "./containerJob.ts";
import { absolutePath, filesPath, isWithin, resultsPath, statePath, workspacePath } from "./paths.ts";

export interface Mount {
  name: string;
  mountPath: string;
  subPath?: string;
  readOnly?: boolean;
}

interface PodVolumes {
  volumes: object[];
  /** In every container. */
  shared: Mount[];
  /** In scripts, plugins and image builds. */
  scripts: Mount[];
  /** In what restores and saves the cache. */
  cache: Mount[];
}

export const filesVolume = "files";
const dockerSocket = "/var/run/docker.sock";

/** The volumes of a job's pod, and which containers see them where. */
export function podVolumes(job: ContainerJob, files: readonly string[]): PodVolumes {
  const cache = job.ignoreCache ? undefined : job.cache;
  const directory = cache && absolutePath(cache.directory);
  const ownClaim = cache?.medium.kind === "claim" ? cache.medium : undefined;
  const wholeWorkspace = directory === workspacePath && ownClaim !== undefined;
  const storages = job.volumes.map(({ claim, path, subpath }, at) => ({
    volume: { name: `storage-${at}`, persistentVolumeClaim: { claimName: claim.name } },
    mount: mountOf(`storage-${at}`, absolutePath(path), subpath),
  }));
  // A cache outside the workspace needs a place that scripts and what saves it both see.
  const ofCache: Mount[] =
    directory === undefined || wholeWorkspace || (ownClaim === undefined && isWithin(directory, workspacePath))
      ? []
      : [mountOf("cache", directory, ownClaim?.subpath ?? "")];
  const claimed = ownClaim && { persistentVolumeClaim: { claimName: ownClaim.name } };
  return {
    volumes: [
      { name: "workspace", ...(wholeWorkspace ? claimed : { emptyDir: {} }) },
      { name: "state", emptyDir: {} },
      {
        name: filesVolume,
        // Keys of an ssh client must be its own; whatever user an image has reads the rest.
        secret: {
          secretName: job.name,
          items: files.map((key) => ({ key, path: key, mode: /-ssh-\d+$/.test(key) ? 0o400 : 0o444 })),
        },
      },
      ...(ofCache.length > 0 ? [{ name: "cache", ...(claimed ?? { emptyDir: {} }) }] : []),
      ...storages.map(({ volume }) => volume),
      ...(job.hostDocker ? [{ name: "docker", hostPath: { path: dockerSocket } }] : []),
    ],
    shared: [
      mountOf("workspace", workspacePath, wholeWorkspace ? (ownClaim?.subpath ?? "") : ""),
      mountOf("state", statePath, ""),
      mountOf("state", resultsPath, "results"),
    ],
    scripts: [
      ...ofCache,
      ...storages.map(({ mount }) => mount),
      ...(job.hostDocker ? [mountOf("docker", dockerSocket, "")] : []),
    ],
    cache: ofCache,
  };
}

/** One entry of the job's Secret as a file. */
export function fileMount(key: string, name: string): Mount {
  return { name: filesVolume, mountPath: `${filesPath}/${name}`, subPath: key, readOnly: true };
}

function mountOf(name: string, mountPath: string, subpath: string): Mount {
  const subPath = subpath.replace(/^\/+|\/+$/g, "");
  return { name, mountPath, ...(subPath !== "" && { subPath }) };
}
