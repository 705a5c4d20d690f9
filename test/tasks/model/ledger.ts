import { expect } from "vitest";
import { isKeptByRetry, isTaskFinal, taskStatusesAccepting } from "../../../shared/workflows/records/rules/status.ts";
import type { Task, TaskActor } from "../../../shared/workflows/records/task.ts";
import { approveTask } from "../../../shared/workflows/tasks/approveTask.ts";
import { decideError, type ErrorDecision } from "../../../shared/workflows/tasks/decideError.ts";
import { cancelTask } from "../../../shared/workflows/tasks/end/cancelTask.ts";
import { retryTask } from "../../../shared/workflows/tasks/start/retryTask.ts";
import { startWorkflow } from "../../../shared/workflows/tasks/start/startWorkflow.ts";
import { type Ending, expectedOf, type ModelStage, stageName } from "./contractModel.ts";
import { workflowName } from "./modelWorkflow.ts";
import { project, type Seen, type SeenTask } from "./modelWorld.ts";
import { type Open, openApprovals, openErrors } from "./open.ts";
import type { PlayedMachines } from "./playedMachines.ts";
import type { Outcome } from "./playTaskRun.ts";
import type { Command, TaskRun } from "./taskRun.ts";

/** What somebody does, and what follows from it by the contract. */
interface Deed {
  work(): Promise<unknown>;
  learn(seen: Seen, outcome: Outcome): void;
}

interface ModelTask {
  stages: readonly ModelStage[];
  decided: Map<string, Ending>;
  isCancelled: boolean;
}

const idOf = ({ owner, taskId }: Task) => ({ ownerId: owner.id, taskId });
const nameOf = ({ owner, taskId }: Pick<Task, "owner" | "taskId">) => `${owner.key} #${taskId}`;

/** What people did, and what the tasks must come to by it. */
export class Ledger {
  readonly #run: TaskRun;
  readonly #actor: TaskActor;
  readonly #tasks = new Map<string, ModelTask>();

  constructor(run: TaskRun, actor: TaskActor) {
    this.#run = run;
    this.#actor = actor;
  }

  /** Undefined when there is nothing that it could happen to. */
  deed(what: Command["what"], at: number, seen: Seen, machines: PlayedMachines): Deed | undefined {
    const task = chosen(seen.tasks, at);
    const approval = chosen(openApprovals(seen), at);
    switch (what.kind) {
      case "start":
        return this.#start(at % this.#run.workflows.length, seen);
      case "cancel":
        return task && this.#cancel(task);
      case "retry":
        return task && this.#retry(task);
      case "approve":
        return approval && this.#approve(approval, what.approve);
      case "decide": {
        const error = chosen(openErrors(seen), at);
        return error && this.#decide(error, what.decision);
      }
      case "timeout":
        return approval && this.#timeOut(approval, machines);
      default:
        return undefined;
    }
  }

  /** Every task ended as the contract has it, with every job that ran. */
  compare(seen: Seen): void {
    for (const { task, jobs } of seen.tasks) {
      const model = this.#of(task);
      const expected = expectedOf(model.stages, model.decided);
      expect(task.status, nameOf(task)).toBe(model.isCancelled ? "cancelled" : expected.status);
      if (model.isCancelled) continue;
      const counted = jobs.filter(({ retryNum, status }) => retryNum === task.retryNum || isKeptByRetry(status));
      const ended = counted.filter(({ status }) => status !== "").map(({ name, status }) => [name, status] as const);
      expect(Object.fromEntries(ended), `jobs of ${nameOf(task)}`).toEqual(Object.fromEntries(expected.jobs));
    }
  }

  #of(task: Task): ModelTask {
    const model = this.#tasks.get(nameOf(task));
    if (model === undefined) throw new Error(`${nameOf(task)} was never started`);
    return model;
  }

  #start(number: number, before: Seen): Deed {
    const key = workflowName(number);
    const next = before.tasks.filter(({ task }) => task.owner.key === key).length + 1;
    const given = { params: [], inputs: "as configured" as const, notifyInputs: [] };
    return {
      work: async () => expect(await startWorkflow(project, key, given, this.#actor)).toBe(next),
      learn: (seen, { wasKilled }) => {
        const made = seen.tasks.find(({ task }) => task.owner.key === key && task.taskId === next)?.task;
        expect(made !== undefined || wasKilled, `a start of ${key} is stored`).toBe(true);
        const stages = this.#run.workflows[number]?.stages ?? [];
        if (made !== undefined) this.#tasks.set(nameOf(made), { stages, decided: new Map(), isCancelled: false });
      },
    };
  }

  /** An end stays as it is; who cancels what passed is told so (contract W 2.6). */
  #cancel({ task }: SeenTask): Deed {
    return {
      work: () => cancelTask(idOf(task), "somebody"),
      learn: (seen, { wasKilled, refused }) => {
        const now = found(seen, task).task.status;
        if (isTaskFinal(task.status)) expect(now).toBe(task.status);
        else if (!wasKilled) expect(now).toBe("cancelled");
        if (!wasKilled) expect(refused).toBe(task.status === "passed" ? 6163 : undefined);
        if (now === "cancelled") this.#of(task).isCancelled = true;
      },
    };
  }

  /** What passed, was skipped or is unstable is kept; of the rest nothing counts any more (contract W 8.8). */
  #retry(before: SeenTask): Deed {
    const { task, jobs, stages } = before;
    const accepts = taskStatusesAccepting("retry").includes(task.status) && !task.holdsSlot;
    const isKept = (record: { retryNum: number; status: Parameters<typeof isKeptByRetry>[0] }) =>
      isKeptByRetry(record.status);
    const kept = new Set([
      ...jobs.filter(isKept).map(({ name }) => name),
      ...stages.filter(isKept).map(({ stage }) => stageName(stage)),
    ]);
    return {
      work: () => retryTask(idOf(task)),
      learn: (seen, { wasKilled, refused }) => {
        const isAgain = found(seen, task).task.retryNum > task.retryNum;
        if (!wasKilled) expect({ isAgain, refused }).toEqual({ isAgain: accepts, refused: accepts ? undefined : 6164 });
        if (!isAgain) return;
        const model = this.#of(task);
        model.isCancelled = false;
        for (const name of model.decided.keys()) if (!kept.has(name)) model.decided.delete(name);
      },
    };
  }

  #approve({ of: { task }, name, job }: Open, approve: boolean): Deed {
    return {
      work: () => approveTask(idOf(task), name, this.#actor, { approve, comment: "" }),
      learn: (seen, { wasKilled, refused }) => {
        if (!wasKilled) expect(refused, `decision about ${name}`).toBe(undefined);
        const now = found(seen, task);
        const records = job === undefined ? now.stages.filter(({ stage }) => stageName(stage) === name) : now.jobs;
        const record = records.find((one) => job === undefined || ("name" in one && one.name === name));
        const isDecided = record?.approval?.approvers.some(({ decision }) => decision !== "") === true;
        if (!wasKilled || isDecided) this.#of(task).decided.set(name, approve ? "passed" : "reject");
      },
    };
  }

  #decide({ of: { task }, name }: Open, decision: ErrorDecision): Deed {
    return {
      work: () => decideError(idOf(task), name, decision, { ...this.#actor, isAdministrator: false }),
      learn: (seen, { wasKilled, refused }) => {
        if (!wasKilled) expect(refused, `decision about ${name}`).toBe(undefined);
        const record = found(seen, task).jobs.find((job) => job.name === name);
        if (!wasKilled || record?.errorDecision !== undefined)
          this.#of(task).decided.set(name, decision === "ignore" ? "unstable" : "failed");
      },
    };
  }

  #timeOut({ of: { task }, name, job }: Open, machines: PlayedMachines): Deed | undefined {
    const execution = machines.timeouts.find((one) => job !== undefined && one.startsWith(`${job.jobId}-`));
    if (execution === undefined) return undefined;
    return {
      work: () => machines.timeOut(execution),
      learn: () => void this.#of(task).decided.set(name, "timeout"),
    };
  }
}

function chosen<T>(list: readonly T[], at: number): T | undefined {
  return list[at % Math.max(list.length, 1)];
}

function found(seen: Seen, { owner, taskId }: Task): SeenTask {
  const one = seen.tasks.find(({ task }) => task.owner.id === owner.id && task.taskId === taskId);
  if (one === undefined) throw new Error(`task ${taskId} of ${owner.key} is gone`);
  return one;
}
