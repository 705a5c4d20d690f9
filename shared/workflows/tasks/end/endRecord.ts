import { invokeLater } from "../../../base/aws/functions/invokeLater.ts";
import { retryOnConflict } from "../../../base/store/retryOnConflict.ts";
import { tryWrite } from "../../../base/store/tryWrite.ts";
import type { Write } from "../../../base/store/writes.ts";
import { leaving } from "../../../integrations/approvals/rules/openRound.ts";
import type { TaskOwner } from "../../../integrations/approvals/store/approvalInstances.ts";
import { pendingWithdrawal } from "../../../integrations/approvals/store/pendingApprovals.ts";
import { writeCounted } from "../../../reports/statistics/store/writeCounted.ts";
import { openRoundOf } from "../../records/rules/taskApproval.ts";
import type { JobRecord, StageRecord } from "../../records/task.ts";
import type { TaskName } from "../../records/taskItems.ts";

/**
 * Writes what ends a job or a stage; where its approval waits for a chat service, the instance there is owed to be taken
 * back by the same write.
 * @param record as it was read
 * @param withIt finds what is written with it, such as what statistics count, by shard; asked again when it lost
 * @returns false when another process was faster
 */
export async function endRecord(
  { owner: { id: ownerId }, taskId }: TaskName,
  record: JobRecord | StageRecord,
  write: Write,
  withIt: () => Promise<(shard: number) => readonly Write[]> = async () => () => [],
): Promise<boolean> {
  const written = (...beside: readonly Write[]) =>
    tryWrite(
      retryOnConflict(async () => {
        const more = await withIt();
        await writeCounted((shard) => [write, ...more(shard), ...beside]);
      }, "delivered service"),
    );
  const open = openRoundOf(record);
  if (open === undefined) return written();
  const place = "name" in record ? { job: record.name } : { stage: record.stage };
  const owner: TaskOwner = { ownerId, taskId, key: open.key, ...place };
  if (!(await written(pendingWithdrawal(owner, leaving(open))))) return false;
  await invokeLater("approval-follower", owner);
  return true;
}
