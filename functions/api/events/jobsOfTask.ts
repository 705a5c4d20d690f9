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
  readonly owner: TaskOwner;
  readonly #taskId: number;
  #seen: string | undefined;

  private constructor(owner: TaskOwner, taskId: number) {
    this.owner = owner;
    this.#taskId = taskId;
  }

  /** @returns undefined when nothing has tasks under this key */
  static async of({ key, taskId }: TaskKey): Promise<JobsOfTask | undefined> {
    const owner = await findTaskOwner(key);
    return owner && new JobsOfTask(owner, taskId);
  }

  /** What became of them since the last look. */
  async look(): Promise<FollowedState | undefined> {
    const before = this.#seen;
    this.#seen = await jobVersions(this.owner.id, this.#taskId);
    if (before === undefined) return "followed";
    return before === this.#seen ? undefined : "changed";
  }
}
