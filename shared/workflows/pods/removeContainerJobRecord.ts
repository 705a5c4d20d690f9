import { removeHeldJobWait } from "../../kube/waits/jobWaits.ts";
import type { ContainerJobRef } from "./rules/containerJob.ts";

/** Removes the wait for the job, before the job's removal on cancel, so that its token is left alone. */
export function removeContainerJobRecord(ref: ContainerJobRef): Promise<void> {
  return removeHeldJobWait(ref);
}
