import { log } from "../settings/log.ts";
import { type AboutTask, recordDeliveries } from "./recordDeliveries.ts";
import type { CommitStatus } from "./rules/commitStatus.ts";
import { startNotifier } from "./startNotifier.ts";

/**
 * Sets a status at the commit that started a task. Repeating it for one run of the task, its retries counted by
 * `about.attempt`, is no second call; it never fails, and changes no task.
 */
export async function tellCommit(about: AboutTask, status: CommitStatus, event: string): Promise<void> {
  const { namespace, name, sha } = status;
  try {
    const refs = await recordDeliveries(
      [
        {
          type: "commit-status",
          target: `${namespace}/${name}@${sha}`,
          parts: [{ via: "commit-status", status }],
          secrets: {},
        },
      ],
      { about, jobName: "", event, index: -1, hookEvent: "" },
    );
    await startNotifier(refs);
  } catch (error) {
    log.error("status of a commit not recorded", { taskRecordId: about.taskRecordId, internal: String(error) });
  }
}
