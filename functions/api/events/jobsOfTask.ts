import type { FollowedState } from "../../../shared/environments/followServices.ts";
import { jobVersions } from "../../../shared/workflows/records/findTasks.ts";
import type { TaskOwner } from "../../../shared/workflows/records/task.ts";
import { findTaskOwner } from "../../../shared/workflows/records/taskHeads.ts";

export interface TaskKey {
  /** Of the workflow, the test or the scan. */
  key: string;
  taskId: number;
}

/** The jobs of a task, looked at as often as changes are asked for. */
export class JobsOfTask {
  /** Undefined when nothing has tasks under the key: its jobs are lost from the first look on. */
  readonly owner: TaskOwner | undefined;
  readonly #taskId: number;
  #seen: string | undefined;

  private constructor(owner: TaskOwner | undefined, taskId: number) {
    this.owner = owner;
    this.#taskId = taskId;
  }

  static async of({ key, taskId }: TaskKey): Promise<JobsOfTask> {
    return new JobsOfTask(await findTaskOwner(key), taskId);
  }

  /** What became of them since the last look. */
  async look(): Promise<FollowedState | undefined> {
    const before = this.#seen;
    this.#seen = this.owner === undefined ? "" : await jobVersions(this.owner.id, this.#taskId);
    if (before === this.#seen) return undefined;
    if (before !== undefined) return "changed";
    return this.owner === undefined ? "lost" : "followed";
  }
}
