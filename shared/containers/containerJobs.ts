import type { CollectedJob } from "../domain/container/collectedJob.ts";
import type { ContainerJob, ContainerJobRef } from "../domain/container/containerJob.ts";

/**
 * Jobs in containers, from their start to their removal. Each function is exported by the file of its name in this
 * folder. What the cluster refuses is a `ClusterError`; every function may be repeated.
 */
export interface ContainerJobs {
  /**
   * Starts the job: its Job, its Secret (owned by it) and its claims; makes the jobs namespace. A second call finds the
   * same Job and changes nothing.
   * @throws ContainerJobInvalid naming what of the job cannot run; TerminalClusterError, RetryableClusterError
   */
  startContainerJob(job: ContainerJob): Promise<void>;
  /**
   * Leaves the task token to the cluster watcher, which settles it with `{}` when the Job ended, vanished or is stuck
   * (contract W 11.1), or at the deadline. Ask `collectContainerJob` then.
   */
  awaitContainerJob(
    wait: ContainerJobRef & { taskToken: string /** Unix seconds. */; deadline: number },
  ): Promise<void>;
  /** What became of the job, read from its pod. @param deadline Unix seconds: later a job that runs is `timeout` */
  collectContainerJob(
    ref: ContainerJobRef,
    options: { deadline: number; outputs: readonly string[] },
  ): Promise<CollectedJob>;
  /** Stores the whole log of an ended job, masked and compressed, under the key from `jobLogKey`; before its removal. */
  storeContainerLog(ref: ContainerJobRef, objectKey: string): Promise<void>;
  /** A stored log, uncompressed; nothing when there is none. */
  readContainerLog(objectKey: string): AsyncIterable<Uint8Array>;
  /**
   * Follows the log of a job, all containers in order, masked: waits until its pod runs, ends with the last container, the
   * Job's removal or the signal.
   */
  followContainerLog(
    ref: ContainerJobRef,
    options: { tailLines: number; signal: AbortSignal },
  ): AsyncIterable<Uint8Array>;
  /** Takes away the Job with its pod, its Secret and its temporary claims: at the end, on cancel and on timeout. */
  removeContainerJob(ref: ContainerJobRef): Promise<void>;
  /** Nobody waits for the job any more: before its removal on cancel. */
  forgetContainerJob(ref: ContainerJobRef): Promise<void>;
}
