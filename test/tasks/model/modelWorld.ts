import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAdapters } from "../../../infra/local/aws/start.ts";
import { ensureReconcilerSchedule } from "../../../infra/local/runtime.ts";
import { startTable } from "../../../infra/local/table/startTable.ts";
import { bootstrapAdministrator } from "../../../shared/access/identity/session/bootstrapAdministrator.ts";
import { findUsersByAccount } from "../../../shared/access/identity/store/users.ts";
import { provideAdapters } from "../../../shared/base/aws/adapters.ts";
import { manyExecutions } from "../../../shared/base/aws/states/stateMachines.ts";
import { removeConfig } from "../../../shared/base/settings/config.ts";
import { provideTable } from "../../../shared/base/store/table.ts";
import { TableClient } from "../../../shared/base/store/tableClient.ts";
import { createProject } from "../../../shared/projects/createProject.ts";
import { openTasks, readTaskRecords } from "../../../shared/workflows/records/findTasks.ts";
import type { JobRecord, StageRecord, Task, TaskActor } from "../../../shared/workflows/records/task.ts";
import { resumeQueues } from "../../../shared/workflows/tasks/dispatchTasks.ts";
import { reconcileTask } from "../../../shared/workflows/tasks/reconcileTask.ts";
import { givenTable } from "../../harness/givenTable.ts";
import { indexesShowAll } from "../../harness/indexesShowAll.ts";
import { type RawItem, rawItems } from "../../harness/rawItems.ts";
import { adminToken } from "../../harness/slipway.ts";
import { PlayedAws } from "./playedAws.ts";
import { PlayedMachines } from "./playedMachines.ts";

/** The real store and the machines' functions; Step Functions is played. */
export interface ModelWorld {
  aws: PlayedAws;
  actor: TaskActor;
  /** What the reconciler does about tasks. */
  reconcile(): Promise<void>;
  seen(): Promise<Seen>;
  /** Everything about tasks and workflows is taken away. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export interface SeenTask {
  task: Task;
  jobs: JobRecord[];
  stages: StageRecord[];
}

/** What stands in the table. */
export interface Seen {
  tasks: SeenTask[];
  queued: number;
  /** Slots that are taken, as the counters have it: of the installation, and by workflow. */
  running: number;
  runningOf: ReadonlyMap<string, number>;
}

export const project = "shop";

export async function startModelWorld(): Promise<ModelWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), "slipway-model-"));
  process.env.SLIPWAY_LOG_FILE = join(dataDir, "log.ndjson");
  const table = givenTable(dataDir);
  const started = await startTable({ dataDir, ...table });
  const functions = { reconciler: async () => undefined, notifier: async () => undefined };
  const local = startAdapters({ dataDir: join(dataDir, "aws"), functions, stateMachines: {} });
  const aws = new PlayedAws(started.engine, new PlayedMachines());
  provideTable(new TableClient(aws.engine));
  provideAdapters(aws.around(local.adapters));
  Object.assign(process.env, {
    SLIPWAY_WORKFLOW_TASK_ARN: "workflow-task",
    SLIPWAY_JOB_ARN: "job",
  });
  removeConfig();
  ensureReconcilerSchedule(local.scheduler);
  await bootstrapAdministrator({ adminToken });
  await indexesShowAll();
  const [admin] = await findUsersByAccount("admin");
  if (admin === undefined) throw new Error("there is no administrator");
  const actor = { uid: admin.uid, name: admin.name, account: "admin" };
  await createProject(
    { projectKey: project, name: project, isPublic: false, description: "", projectType: "yaml" },
    admin,
  );
  const items = rawItems;
  return {
    aws,
    actor,
    reconcile: async () => {
      const open = await readTaskRecords(await openTasks());
      await resumeQueues(open.filter(({ status }) => status === "waiting"));
      const ask = manyExecutions();
      for (const { owner, taskId } of open) await reconcileTask({ ownerId: owner.id, taskId }, ask);
    },
    seen: async () => seenIn(await items.all()),
    clear: async () => {
      aws.machines = new PlayedMachines();
      const left = (await items.all()).filter(({ pk }) => /^(task|workflow)/.test(pk));
      await Promise.all(left.map((item) => items.remove(item)));
    },
    close: async () => {
      await local.close();
      await table.remove();
      started.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function seenIn(items: readonly RawItem[]): Seen {
  const ofType = <T>(type: string) => items.filter((item) => item.type === type) as unknown as (T & RawItem)[];
  const tasks = ofType<Task>("task").map((task) => ({
    task,
    jobs: ofType<JobRecord>("task-job").filter(({ pk }) => pk === task.pk),
    stages: ofType<StageRecord>("task-stage").filter(({ pk }) => pk === task.pk),
  }));
  const heads = ofType<{ ownerId: string; running: number }>("task-head");
  const slots = ofType<{ running: number }>("task-slots");
  return {
    tasks: tasks.sort((a, b) => a.task.position - b.task.position),
    queued: ofType("queued-task").length,
    running: slots.reduce((sum, { running }) => sum + running, 0),
    runningOf: new Map(heads.map(({ ownerId, running }) => [ownerId, running])),
  };
}
