import { createHash } from "node:crypto";
import type { StorageProperty } from "../../definition/script/storage.ts";
import type { JobCache, JobVolume } from "../../pods/rules/containerJob.ts";
import { workspacePath } from "../../pods/rules/paths.ts";
import type { Task } from "../../records/task.ts";
import type { ContainerRun } from "./containerRun.ts";

/** Of a claim that jobs of one workflow share, made by the first of them. */
const shareGib = 10;

/** The claims of a job: its own storages, and those that it shares with other jobs of the task. */
export function jobVolumes({ settings }: ContainerRun, { owner, taskId }: Task, jobName: string): JobVolume[] {
  const own = settings.storages.map((property, at) => ownVolume(property, `${jobName}-${at}`));
  const shares = settings.shareStorages.map(
    ({ name, path }): JobVolume => ({
      path: path || `/${name}`,
      // One task does not see what another one left.
      subpath: String(taskId),
      claim: {
        kind: "made",
        name: `slipway-share-${owner.id}-${digest(name)}`,
        sizeGib: shareGib,
        storageClass: "",
        accessMode: "ReadWriteMany",
        temporary: false,
      },
    }),
  );
  return [...own, ...shares];
}

/** @param name of the claim when it goes with the job; a kept one is the same for every run at that path */
function ownVolume(property: StorageProperty, name: string): JobVolume {
  const { mountPath, subpath, provisionType, claim, isTemporary, sizeGibibytes, storageClass, accessMode } = property;
  if (provisionType === "static") return { path: mountPath, subpath, claim: { kind: "existing", name: claim } };
  const kept = claim || `slipway-${digest(`${mountPath}#${storageClass}#${accessMode}`)}`;
  const made = { sizeGib: sizeGibibytes, storageClass, accessMode, temporary: isTemporary };
  return { path: mountPath, subpath, claim: { kind: "made", name: isTemporary ? name : kept, ...made } };
}

/** The cache of whatever the job is a run of, in the object store. */
export function jobCache({ settings, cacheName }: ContainerRun, { owner }: Task): { cache?: JobCache } {
  const { cacheDirectory } = settings;
  if (cacheDirectory === undefined) return {};
  const objectKey = `jobs/cache/${owner.projectKey}/${digest(`${owner.id}#${cacheName}`)}.tar.gz`;
  return { cache: { directory: cacheDirectory || workspacePath, medium: { kind: "object", objectKey } } };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
