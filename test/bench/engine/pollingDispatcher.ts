import { findTask } from "../../../shared/workflows/records/findTasks.ts";
import { dispatchTask, waitingTasks } from "../../../shared/workflows/records/queue.ts";
import { findHeads } from "../../../shared/workflows/records/taskHeads.ts";
import { startTaskExecution } from "../../../shared/workflows/tasks/taskExecution.ts";

export class PollingDispatcher {
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> = Promise.resolve();

  constructor(everyMilliseconds: number) {
    this.#timer = setInterval(() => {
      this.#looking = this.#looking.then(() => this.#look());
    }, everyMilliseconds);
  }

  async #look(): Promise<void> {
    const waiting = await waitingTasks();
    const found = await findHeads([...new Set(waiting.map(({ owner }) => owner.key))]);
    const heads = new Map(found.map((head) => [head.ownerId, head]));
    const first = waiting.find(({ owner }) => (heads.get(owner.id)?.running ?? 0) < (heads.get(owner.id)?.limit ?? 1));
    const task = first === undefined ? undefined : await findTask(first.owner.id, first.taskId);
    if (task === undefined) return;
    const limits = { installation: 50, owner: heads.get(task.owner.id)?.limit };
    if ((await dispatchTask(task, limits)) === "dispatched")
      await startTaskExecution({ ...task, attempt: task.attempt + 1 });
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }
}
