import type { ContainerJobRef } from "../domain/container/containerJob.ts";
import { forgetJobWait } from "../store/jobWaits.ts";

/** Nobody waits for the job any more: before its removal on cancel, so that its token is left alone. */
export function forgetContainerJob(ref: ContainerJobRef): Promise<void> {
  return forgetJobWait(ref);
}
