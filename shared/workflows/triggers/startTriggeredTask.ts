import { readStoredText } from "../../base/aws/objects/objectStore.ts";
import { unseal } from "../../base/aws/secrets/sealedSecret.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import { log } from "../../base/settings/log.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed, conflictedOn } from "../../base/store/tableClient.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import type { Write } from "../../base/store/writes.ts";
import { openCodeHostOf } from "../../integrations/codeHosts/openCodeHost.ts";
import { readChangedFiles } from "../../integrations/codeHosts/readChangedFiles.ts";
import { FileUnreadable } from "../../integrations/codeHosts/repositoryApi.ts";
import { mayRun, withThatToken } from "../jobs/mayRun.ts";
import { type PushedRevision, pushedInto } from "../jobs/pushedRevision.ts";
import { findTask } from "../records/findTasks.ts";
import type { Task, TaskActor } from "../records/task.ts";
import { openDefinition } from "../saved/credentials.ts";
import { findWorkflow, type VersionedWorkflow } from "../saved/store/workflows.ts";
import { cancelUnlessPassed } from "../tasks/end/cancelTasksOf.ts";
import { startDefinition, type WorkflowArguments } from "../tasks/start/startWorkflow.ts";
import { definitionWithPayload } from "./definitionWithPayload.ts";
import {
  endHookDelivery,
  findHookDelivery,
  type HookDelivery,
  type HookDeliveryRef,
} from "./records/hookDeliveries.ts";
import { findPullRequestRun, replacePullRequestRun } from "./records/pullRequestRuns.ts";
import { findTrigger, isStanding } from "./records/triggers.ts";
import { untouched } from "./rules/pathFilter.ts";
import { type Payload, withPayload } from "./rules/payload.ts";
import { type GitTrigger, sealedFor, type Trigger } from "./rules/trigger.ts";

/** How a delivery ends that starts no task. */
interface Refused {
  status: "ignored" | "failed";
  problem: string;
}

const failed = (problem: string): Refused => ({ status: "failed", problem });

/**
 * Starts the task of a delivery, once, however often and by however many this is done: the transaction that creates the
 * task ends the delivery. Where none is started, the delivery says why.
 */
export async function startTriggeredTask(ref: HookDeliveryRef): Promise<void> {
  const delivery = await findHookDelivery(ref);
  if (delivery?.status !== "accepted") return;
  const refused = await start(delivery).catch((error: unknown) => {
    if (error instanceof ApiError) return failed(error.description);
    if (error instanceof FileUnreadable)
      return failed(`whether match_folders are meant cannot be known: ${error.message}`);
    // Another process ended it.
    if (error instanceof ConditionFailed) return undefined;
    throw error;
  });
  if (refused === undefined) return;
  log.info("trigger started nothing", { workflow: delivery.workflowKey, deliveryId: ref.deliveryId, ...refused });
  await tryWrite(table().write(endHookDelivery(ref, refused)));
}

async function start(delivery: HookDelivery): Promise<Refused | undefined> {
  const { workflowKey, workflowId, kind, trigger: name } = delivery;
  const workflow = await findWorkflow(workflowKey);
  if (workflow?.workflowId !== workflowId) return failed(`workflow ${workflowKey} was deleted`);
  const trigger: Trigger | undefined = await findTrigger({ workflowKey, kind, name });
  if (trigger === undefined || !isStanding(trigger, workflowId)) return failed(`trigger ${name} was deleted`);
  if (!trigger.enabled) return { status: "ignored", problem: `trigger ${name} is disabled` };
  const { savedBy, projectKey } = trigger;
  if (!(await mayRun(savedBy, "run_workflow", { projectKey, workflow: workflowKey })))
    return failed(
      `${savedBy.name}, who saved the trigger, may not run the workflow${withThatToken(savedBy)}; somebody with run_workflow in project ${projectKey} must save it again`,
    );
  return startTask(delivery, trigger, workflow);
}

/**
 * Tasks of a trigger run with the rights of who saved it, and are named after what it is (contract W 16).
 * @returns why it starts none
 */
async function startTask(
  delivery: HookDelivery,
  trigger: Trigger,
  workflow: VersionedWorkflow,
): Promise<Refused | undefined> {
  const payload: Payload = JSON.parse(await readStoredText(delivery.payload));
  const unmeant = trigger.kind === "webhook" ? await unmeantPullRequest(trigger, payload) : undefined;
  if (unmeant !== undefined) return { status: "ignored", problem: unmeant };
  const given: WorkflowArguments = JSON.parse(await unseal(trigger.given, sealedFor(trigger, "given")));
  const { name: _, ...saver } = trigger.savedBy;
  const creator: TaskActor = { ...saver, name: trigger.kind, account: trigger.kind };
  const depth = await depthOf(trigger, payload);
  const startWith = (beside: (taskId: number) => readonly Write[]) =>
    startDefinition(
      workflow,
      async () => {
        const saved = await openDefinition(workflow);
        // What a schedule says is Slipway's own.
        const opened = trigger.kind === "cron" ? withPayload(saved, payload) : definitionWithPayload(saved, payload);
        return trigger.kind === "webhook" ? pushedInto(opened, pushedBy(trigger, payload)) : opened;
      },
      withPayload(given, payload),
      creator,
      {
        commit: commitOf(trigger, payload),
        depth,
        marking: ({ taskId }) => [endHookDelivery(delivery, { status: "started", taskId }), ...beside(taskId)],
      },
    );
  const pullRequest = newCommitsOf(payload);
  if (trigger.kind === "webhook" && trigger.cancelsOlder === true && pullRequest !== undefined)
    return startNewest(delivery, pullRequest, startWith);
  await startWith(() => []);
  return undefined;
}

/** How many tasks led to that of a workflow which follows another one. */
async function depthOf(trigger: Trigger, { trigger: { task_id: followed } }: Payload): Promise<number> {
  if (trigger.kind !== "workflowhook") return 0;
  const task = await findTask(trigger.after.workflowId, Number(followed));
  return (task?.depth ?? 0) + 1;
}

/** Where it is shown how the task goes: each trigger has a status of its own. */
function commitOf(trigger: Trigger, { trigger: { commit_sha: sha = "" } }: Payload): Task["commit"] {
  if (trigger.kind !== "webhook" || !/^[0-9a-f]{40,64}$/.test(sha)) return undefined;
  const { codeHostId, namespace, repository, workflowKey, name } = trigger;
  return { codeHostId, namespace, name: repository, sha, context: `slipway/${workflowKey}/${name}` };
}

/** The pull request that was opened, or whose commits or target changed; not one that was opened again as it is. */
function newCommitsOf({ trigger: { event, pr, new_commits } }: Payload): string | undefined {
  const isOpen = event === "pull_request_opened" || event === "pull_request_updated";
  return isOpen && new_commits !== "false" ? pr : undefined;
}

const maxTries = 5;

/** Ends the run of the pull request's former commits, and starts the one of these unless there are newer ones. */
async function startNewest(
  delivery: HookDelivery,
  pullRequest: string,
  startWith: (beside: (taskId: number) => readonly Write[]) => Promise<number>,
): Promise<Refused | undefined> {
  const { workflowId: ownerId, deliveryId } = delivery;
  for (let tries = 1; ; tries++) {
    const older = await findPullRequestRun(delivery, pullRequest);
    if (older !== undefined && older.deliveryId > deliveryId) {
      const problem = `pull request ${pullRequest} has newer commits, for which task ${older.taskId} was started`;
      return { status: "ignored", problem };
    }
    // Before the start: a death in between leaves the delivery, which starts the new run later.
    if (older !== undefined) await cancelUnlessPassed({ ownerId, taskId: older.taskId }, delivery.kind);
    try {
      await startWith((taskId) => [replacePullRequestRun(delivery, pullRequest, older, { taskId, deliveryId })]);
      return undefined;
    } catch (error) {
      if (!conflictedOn(error, "pull request") || tries === maxTries) throw error;
    }
  }
}

/**
 * Why a pull request changes nothing that a trigger listens to, by what its code host says: no event has its files.
 * @returns undefined when it does, and for what is no pull request
 * @throws FileUnreadable
 */
async function unmeantPullRequest(
  { folders, codeHostId, namespace, repository: name }: GitTrigger,
  { trigger: { pr = "" } }: Payload,
): Promise<string | undefined> {
  if (folders.length === 0 || pr === "") return undefined;
  const opened = await openCodeHostOf(codeHostId);
  if (opened === undefined) throw new FileUnreadable(`code host ${codeHostId} was deleted`);
  const files = await readChangedFiles(opened.host, opened.token, { namespace, name }, Number(pr));
  return files && untouched(folders, files);
}

/** What jobs that clone the repository check out: a commit, a tag, or a pull request merged onto its target. */
function pushedBy({ codeHostId, namespace, repository }: GitTrigger, { trigger }: Payload): PushedRevision {
  const { event = "", branch = "", target_branch: target = "", tag = "", commit_sha: commitId = "", pr = "" } = trigger;
  const isOpen = event === "pull_request_opened" || event === "pull_request_updated";
  return {
    ...{ codeHostId: Number(codeHostId), path: `${namespace}/${repository}`, tag, branch: target || branch },
    pullRequests: isOpen ? [Number(pr)] : [],
    ...{ enableCommit: !isOpen && tag === "", commitId: isOpen || tag !== "" ? "" : commitId },
  };
}
