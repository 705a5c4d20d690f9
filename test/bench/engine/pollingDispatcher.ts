import { findTask } from "../../../shared/workflows/records/findTasks.ts";
import { dispatchTask, readQueueFront } from "../../../shared/workflows/records/queue.ts";
import { freeSlots } from "../../../shared/workflows/records/rules/slots.ts";
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
    const { slots, waiting } = await readQueueFront();
    const found = await findHeads([...new Set(waiting.map(({ owner }) => owner.key))]);
    const heads = new Map(found.map((head) => [head.ownerId, head]));
    const first = waiting.find(({ owner }) => (heads.get(owner.id)?.running ?? 0) < (heads.get(owner.id)?.limit ?? 1));
    const task = first === undefined ? undefined : await findTask(first.owner.id, first.taskId);
    if (task === undefined) return;
    const [slot] = freeSlots(slots, 50);
    if (slot === undefined) return;
    if ((await dispatchTask(task, slot, heads.get(task.owner.id)?.limit)) === "dispatched")
      await startTaskExecution({ ...task, attempt: task.attempt + 1 });
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }
}
