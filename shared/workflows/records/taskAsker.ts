import { completeTask } from "../../base/aws/states/stateMachines.ts";
import { config } from "../../base/settings/config.ts";
import { log } from "../../base/settings/log.ts";
import { mustHaveVersion } from "../../base/store/conditions.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import { table } from "../../base/store/table.ts";
import { update, type Write } from "../../base/store/writes.ts";
import type { ApprovalRequester } from "../../integrations/approvals/approvalRequester.ts";
import type { TaskOwner } from "../../integrations/approvals/store/approvalInstances.ts";
import { findJob } from "./findTasks.ts";
import { noJobs } from "./rules/noJobs.ts";
import { openRoundOf, receiveRoundNews, type TaskApproval, type VendorApproval } from "./rules/taskApproval.ts";
import type { StageRecord } from "./task.ts";

/** The open approval of a job or a stage, and how it is written. */
interface Found {
  vendor: VendorApproval;
  write(approval: TaskApproval): Write;
}

/** A job or a stage whose approval a chat service decides. */
export function taskAsker(owner: TaskOwner): ApprovalRequester {
  const find = () => ("job" in owner ? findOfJob(owner) : findOfStage(owner));
  return {
    owner,
    look: {
      ...{ name: `approval-${owner.key}`, event: { ...owner, look: true } },
      target: config().SLIPWAY_APPROVAL_FOLLOWER_ARN,
    },
    read: async () => (await find())?.vendor,
    change: (news) =>
      retryOnConflict(async () => {
        const found = await find();
        const vendor = found && receiveRoundNews(found.vendor, news, nowSeconds());
        if (found === undefined || vendor === undefined) return false;
        if (vendor === found.vendor) return true;
        await table().write(found.write({ neededApprovers: 0, approvers: [], vendor }));
        if (vendor.outcome !== "") await wake(owner);
        return true;
      }),
    noteStaying: async (problem) => log.warn("approval not taken back", { ...owner, internal: problem }),
  };
}

type OfJob = Extract<TaskOwner, { job: string }>;
type OfStage = Extract<TaskOwner, { stage: number }>;

async function findOfJob({ ownerId, taskId, job: name, key }: OfJob): Promise<Found | undefined> {
  const job = await findJob(ownerId, taskId, name);
  const vendor = job && openRoundOf(job, key);
  if (job === undefined || vendor === undefined) return undefined;
  const { pk, sk, version } = job;
  return { vendor, write: (approval) => update({ pk, sk }, { set: { approval } }, mustHaveVersion(version)) };
}

function findStage({ ownerId, taskId, stage }: OfStage) {
  return table().get<StageRecord>(keys.taskStage(ownerId, taskId, stage));
}

async function findOfStage(owner: OfStage): Promise<Found | undefined> {
  const stage = await findStage(owner);
  const vendor = stage && openRoundOf(stage, owner.key);
  if (stage === undefined || vendor === undefined) return undefined;
  const { pk, sk, version } = stage;
  return {
    vendor,
    write: (approval) => {
      const set = { approval, ...(approval.vendor?.error && { error: approval.vendor.error }) };
      return update({ pk, sk }, { set }, mustHaveVersion(version));
    },
  };
}

/** Lets the machine that waits for the decision continue; it reads what was decided. */
async function wake(owner: TaskOwner): Promise<void> {
  if ("job" in owner) {
    const job = await findJob(owner.ownerId, owner.taskId, owner.job);
    if (job?.taskToken !== undefined) await completeTask(job.taskToken, {});
    return;
  }
  const stage = await findStage(owner);
  if (stage?.taskToken !== undefined) await completeTask(stage.taskToken, noJobs(owner.stage));
}
