import { storeText } from "../../../base/aws/objects/objectStore.ts";
import { ApiError } from "../../../base/errors/apiError.ts";
import { isServiceTrouble } from "../../../base/errors/serviceTrouble.ts";
import { enableReconciler } from "../../../base/reconciling/enableReconciler.ts";
import { log } from "../../../base/settings/log.ts";
import { type Backoff, backOff } from "../../../base/store/backOff.ts";
import { newId, nowSeconds } from "../../../base/store/ids.ts";
import { madeBefore, madeUnanswered, recordMade } from "../../../base/store/madeOnce.ts";
import { conflictedOnlyOn, TransactionContended } from "../../../base/store/tableClient.ts";
import type { Write } from "../../../base/store/writes.ts";
import { traceparentHere } from "../../../base/tracing/traceparent.ts";
import type { WorkflowDefinition } from "../../definition/definition.ts";
import type { PlanScope } from "../../jobs/planner.ts";
import { createQueuedTask, nextPosition, queueFor, type TaskQueue } from "../../records/queue.ts";
import { storePlan, taskFolder } from "../../records/storedPlan.ts";
import type { Task, TaskActor, TaskOwner, TaskPlan, TaskSnapshot } from "../../records/task.ts";
import { findHead } from "../../records/taskHeads.ts";
import { announceTask } from "../announce.ts";
import { dispatchNew } from "../dispatchTasks.ts";
import { outlineTask, planTask } from "./planTask.ts";
import { addSecrets, keepSecretIn, sealArguments } from "./secretVariables.ts";

/** Whose task it is, and what is to run. */
export interface PlannedStart {
  owner: TaskOwner;
  projectName: string;
  /** Chooses the jobs and applies what the start call says; asked again when another task came first. */
  prepare(scope: PlanScope): Promise<WorkflowDefinition>;
  /** As it is kept for a retry. */
  definition: WorkflowDefinition;
  /** Credentials by the variable they stand for: `workflow.params.<name>`. */
  secrets: ReadonlyMap<string, string>;
  creator: TaskActor;
}

/** A start as its caller prepared it, and what must still hold of the owner. */
export interface Start extends PlannedStart {
  /** Written with the task: conditions on the owner beyond its existence, which its head shows; a failure is final. */
  beside(task: Task): readonly Write[];
  arguments: unknown;
  /** Refuses what is planned. @throws ApiError */
  refuse?(plan: TaskPlan): Promise<void>;
  /** A request might not have the time to plan it: its machine does (docs/decisions/0214). */
  isLarge?: boolean;
  /** Given by a user who may change what is frozen. */
  overrideReason?: string | undefined;
  remark?: string;
  /** The job of a release plan that it is started for. */
  releasePlan?: Task["releasePlan"];
  /** The commit that shows its status. */
  commit?: Task["commit"];
  /** How many tasks led to it. */
  depth?: number;
  /** What the older API said of it, given the id of its record. */
  legacy?: (recordId: string) => Promise<NonNullable<Task["legacy"]>>;
}

/**
 * Other starts of the owner at the same moment make one try again; so many of them at once all come through. The longest
 * pause doubles with each try until the tries of all are no more than the store can answer: on a slow one, pauses that
 * stayed short would let a hundred starts cost each other nearly every try.
 */
const maxTries = 400;
const pauses: Backoff = { firstMilliseconds: 20, longestMilliseconds: 5000 };

/**
 * Starts a task: validated, numbered, stored and queued in one transaction, then dispatched as far as the limits allow
 * (contract W 2.4).
 * @throws ApiError 6160 and what `prepare` throws; 409 for what would change frozen production; 6190 when no number could
 * be taken
 */
export async function startTask(start: Start): Promise<number> {
  await enableReconciler();
  const before = madeBefore<number>(`task of ${start.owner.id}`);
  if (before !== undefined) return before;
  await requireAnswered(start.owner);
  const { task, plan, queue } = await createTask(start);
  await unlessTroubled(async () => {
    await announceTask({ task }, "created", { task, plan, stages: [], jobs: [] });
    // In its owner's queue it waits for the end of another of its tasks, which brings it on.
    if (queue === "waiting") await dispatchNew(task);
  });
  return task.taskId;
}

/** @throws ApiError 409 naming the task that the same request created, where it was interrupted before it was answered */
async function requireAnswered({ id, key, kind }: TaskOwner): Promise<void> {
  const taskId = await madeUnanswered<number>(`task of ${id}`);
  if (taskId === undefined) return;
  const sentence = `task ${taskId} of ${kind} ${key} was started by the same request, which was interrupted before it was answered`;
  throw new ApiError(409, `${sentence}; send an Idempotency-Key to start another one within the minute`, {
    extra: { task_id: taskId },
  });
}

/** The task exists, whatever fails now: the reconciler starts what waits, and a start that failed would be tried again. */
async function unlessTroubled(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isServiceTrouble(error)) throw error;
    log.warn("a new task is left to the reconciler", { internal: String(error) });
  }
}

async function createTask(start: Start): Promise<Prepared> {
  const kept = await keepStart(start);
  for (let tries = 1; tries <= maxTries; tries++) {
    const prepared = await prepareTask(start, kept);
    try {
      await prepared.write();
      return prepared;
    } catch (error) {
      if (!(conflictedOnlyOn(error, "task") || error instanceof TransactionContended)) throw error;
      await backOff(tries, pauses);
    }
  }
  throw new ApiError(6190, "too many of its tasks are started at the same moment; try again");
}

interface Kept {
  recordId: string;
  snapshot: TaskSnapshot;
  traceparent: string | undefined;
}

/** What a start would run, with its credentials by the variables that stand for them. @throws what `prepare` throws; 6160 */
export async function planStart(start: PlannedStart, task: PlannedTask): Promise<StartPlan> {
  const { scope, secrets } = scopeOf(start, task);
  return { plan: await planTask({ ...scope, definition: await start.prepare(scope) }), secrets };
}

type PlannedTask = Pick<PlanScope, "taskId" | "startedAt" | "isOfReleasePlan" | "isPreview">;

interface StartPlan {
  plan: TaskPlan;
  secrets: Map<string, string>;
}

function scopeOf({ owner, projectName, definition, creator, ...start }: PlannedStart, task: PlannedTask) {
  const secrets = new Map(start.secrets);
  const project = { key: owner.projectKey, name: projectName };
  const keepSecret = keepSecretIn(secrets);
  return { secrets, scope: { project, workflow: owner, definition, creator, keepSecret, ...task } };
}

/** The plan of a new task, or what is known of one that its machine will plan. @throws ApiError */
async function planNew(start: Start, task: PlannedTask): Promise<StartPlan> {
  if (start.isLarge === true) {
    const { scope, secrets } = scopeOf(start, task);
    return { plan: outlineTask(scope), secrets };
  }
  const planned = await planStart(start, task);
  await start.refuse?.(planned.plan);
  return planned;
}

/** What is the same at every try is sealed and stored before the first: a try is short, so that few others meet it. */
async function keepStart(start: Start): Promise<Kept> {
  const recordId = newId(nowSeconds());
  const folder = taskFolder(recordId);
  const definition = await storeText(JSON.stringify(start.definition), { folder });
  return {
    recordId,
    traceparent: traceparentHere(`start ${start.owner.kind}`),
    snapshot: { definition, arguments: await storeText(await sealArguments(recordId, start.arguments), { folder }) },
  };
}

interface Prepared {
  task: Task;
  plan: TaskPlan;
  /** Where it waits. */
  queue: TaskQueue;
  write(): Promise<void>;
}

async function prepareTask(start: Start, { recordId, snapshot, traceparent }: Kept): Promise<Prepared> {
  const { owner, creator } = start;
  const head = await findHead(owner.key);
  if (head?.ownerId !== owner.id) throw new ApiError(6542, `${owner.kind} ${owner.key} was deleted`);
  const now = nowSeconds();
  const taskId = head.last + 1;
  const isOfReleasePlan = start.releasePlan !== undefined;
  const { plan, secrets } = await planNew(start, { taskId, startedAt: now, isOfReleasePlan });
  const { overrideReason } = start;
  const task: Task = {
    ...{
      owner,
      taskId,
      recordId,
      status: "waiting",
      attempt: 0,
      retryNum: 0,
      creator,
    },
    ...{ position: nextPosition(head), revoker: creator.name, createTime: now, startTime: now, endTime: 0 },
    ...{ remark: start.remark ?? "", error: "", holdsSlot: false, concluded: false },
    ...(overrideReason !== undefined && { overrideReason }),
    ...(start.releasePlan && { releasePlan: start.releasePlan }),
    ...(start.commit && { commit: start.commit }),
    ...(start.depth !== undefined && start.depth > 0 && { depth: start.depth }),
    ...(traceparent !== undefined && { traceparent }),
    ...(start.isLarge === true && { unplanned: true }),
    ...(start.legacy && { legacy: await start.legacy(recordId) }),
  };
  const stored = { plan: await storePlan(recordId, plan), snapshot };
  const beside = [
    ...start.beside(task),
    ...(await addSecrets(task, secrets)),
    ...recordMade({ kind: `task of ${owner.id}`, id: taskId }),
  ];
  return { task, plan, queue: queueFor(head), write: () => createQueuedTask(task, stored, head, beside) };
}
