import { forgetJobWait } from "../../kube/waits/jobWaits.ts";
import type { ContainerJobRef } from "./rules/containerJob.ts";

/** Nobody waits for the job any more: before its removal on cancel, so that its token is left alone. */
export function forgetContainerJob(ref: ContainerJobRef): Promise<void> {
  return forgetJobWait(ref);
}
