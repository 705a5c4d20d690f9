import { expect } from "vitest";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { setConcurrency } from "../../../shared/workflows/records/concurrency.ts";
import { indexesShowAll } from "../../harness/indexesShowAll.ts";
import { makeWorkflow } from "../../harness/tasks.ts";
import { checkInvariants } from "./invariants.ts";
import { Ledger } from "./ledger.ts";
import { definitionOf, workflowName } from "./modelWorkflow.ts";
import { type ModelWorld, project, type Seen } from "./modelWorld.ts";
import { openApprovals, openErrors } from "./open.ts";
import type { Command, TaskRun } from "./taskRun.ts";

/** More than anything takes that is not stuck. */
const maxRounds = 40;
const maxTurns = 400;

/** Plays one run and compares it with the contract; everything is driven to its end at last. */
export async function playTaskRun(world: ModelWorld, run: TaskRun): Promise<void> {
  await world.clear();
  await setConcurrency({ workflowConcurrency: run.installationLimit, buildConcurrency: 2 });
  for (const [number, { stages, limit }] of run.workflows.entries())
    await makeWorkflow(project, definitionOf(workflowName(number), stages, limit, world.actor.uid));
  const played = new Played(world, run);
  for (const command of run.commands) await played.happens(command);
  await played.driveToTheEnd();
}

class Played {
  readonly #world: ModelWorld;
  readonly #run: TaskRun;
  readonly #ledger: Ledger;
  #seen: Seen = { tasks: [], queued: 0, running: 0, runningOf: new Map() };

  constructor(world: ModelWorld, run: TaskRun) {
    this.#world = world;
    this.#run = run;
    this.#ledger = new Ledger(run, world.actor);
  }

  async happens({ what, at, killedAfter }: Command): Promise<void> {
    const { aws } = this.#world;
    const { machines } = aws;
    if (killedAfter !== undefined) aws.killAfter(killedAfter);
    switch (what.kind) {
      case "turn":
        return this.#work(() => machines.turn(at));
      case "repeat":
        return this.#work(() => machines.repeat(at));
      case "reconcile":
        return this.#work(() => this.#world.reconcile());
      case "restart":
        return this.#work(() => machines.restart());
      default: {
        const deed = this.#ledger.deed(what, at, this.#seen, machines);
        if (deed === undefined) return void aws.revive();
        return this.#work(deed.work, deed.learn);
      }
    }
  }

  /** Nobody is killed any more, and everybody decides what waits for them: nothing may be left then. */
  async driveToTheEnd(): Promise<void> {
    const { machines } = this.#world.aws;
    for (let round = 1; ; round++) {
      for (let turns = 1; machines.turns > 0; turns++) {
        if (turns > maxTurns) throw new Error("the machines do not come to rest");
        await this.happens({ what: { kind: "turn" }, at: 0 });
      }
      // The reconciler comes by every minute: it sees what was written before.
      await indexesShowAll();
      await this.happens({ what: { kind: "reconcile" }, at: 0 });
      if (machines.turns > 0) continue;
      if (openApprovals(this.#seen).length > 0) await this.happens({ what: { kind: "approve", approve: true }, at: 0 });
      else if (openErrors(this.#seen).length > 0)
        await this.happens({ what: { kind: "decide", decision: "ignore" }, at: 0 });
      else if (this.#seen.tasks.every(({ task }) => task.concluded)) break;
      if (round > maxRounds) throw new Error(`stuck: ${JSON.stringify(this.#seen)}`);
    }
    const { queued, running, runningOf } = this.#seen;
    expect({ queued, running, runningOf: [...runningOf.values()].filter((one) => one !== 0) }).toEqual({
      ...{ queued: 0, running: 0, runningOf: [] },
    });
    this.#ledger.compare(this.#seen);
  }

  async #work(work: () => Promise<unknown>, learn?: (seen: Seen, outcome: Outcome) => void): Promise<void> {
    const problem = await work().then(
      () => undefined,
      (error: unknown) => error,
    );
    const wasKilled = this.#world.aws.revive();
    if (problem !== undefined && !wasKilled && !(problem instanceof ApiError)) throw problem;
    const before = this.#seen;
    this.#seen = await this.#world.seen();
    const executions = [...this.#world.aws.machines.executions.values()];
    checkInvariants({ before, now: this.#seen, run: this.#run, executions });
    learn?.(this.#seen, { wasKilled, refused: problem instanceof ApiError ? problem.code : undefined });
  }
}

/** How a call went: refused with a code, or killed, so that nobody knows but who looks. */
export interface Outcome {
  wasKilled: boolean;
  refused: number | undefined;
}
