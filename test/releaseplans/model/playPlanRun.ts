import { expect, vi } from "vitest";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { isUnderWay } from "../../../shared/releaseplans/rules/machine.ts";
import { approveTask } from "../../../shared/workflows/tasks/approveTask.ts";
import { planBody } from "../../harness/releasePlans.ts";
import { storeCallsOf } from "../../harness/storeCallsOf.ts";
import { project } from "../../tasks/model/modelWorld.ts";
import { openApprovals } from "../../tasks/model/open.ts";
import type { PlanCommand, PlanRun, PlanShape } from "./planRun.ts";
import { checkPlans, checkRest } from "./planTable.ts";
import type { PlanWorld } from "./planWorld.ts";

const path = "/openapi/release_plan/v1";
/** More than anything takes that is not stuck. */
const maxRounds = 60;
const maxTurns = 400;

/** Plays one run: what must hold is looked at after everything that happens, and once more when all has come to rest. */
export async function playPlanRun(world: PlanWorld, run: PlanRun): Promise<void> {
  await world.clear();
  const played = new PlayedPlan(world, run.shape);
  await played.begin();
  for (const command of run.commands) await played.happens(command);
  await played.driveToRest();
}

class PlayedPlan {
  readonly #world: PlanWorld;
  readonly #body: object;
  #id = "";

  constructor(world: PlanWorld, shape: PlanShape) {
    this.#world = world;
    this.#body = bodyOf(shape, world.actor.uid);
  }

  async begin(): Promise<void> {
    const { body } = await storeCallsOf("POST", path, { body: planBody({ manager: "admin" }) });
    this.#id = JSON.parse(body).id;
    await this.#call("PATCH", "", this.#body);
  }

  async happens({ what, at, killedAfter }: PlanCommand): Promise<void> {
    const { aws, events } = this.#world;
    if (killedAfter !== undefined) aws.killAfter(killedAfter);
    await this.#work(async () => {
      switch (what.kind) {
        case "turn":
          return aws.machines.turn(at);
        case "repeat":
          return aws.machines.repeat(at);
        case "restart":
          return aws.machines.restart();
        case "reconcile":
          return this.#world.reconcile();
        case "deliver":
        case "deliver twice": {
          const due = events.due(nowSeconds());
          const event = due[at % Math.max(due.length, 1)];
          return event && events.deliver(event, what.kind === "deliver twice");
        }
        case "wait":
          return void vi.setSystemTime(Date.now() + what.seconds * 1000);
        case "status":
          return this.#call("POST", `/status/${what.to}`);
        case "decide":
          return this.#call("POST", "/approve", { approve: what.approve, comment: "" });
        case "replace":
          return this.#call("PATCH", "", this.#body);
        case "delete":
          return this.#call("DELETE", "");
        case "answer":
          return this.#answer(at, "approve" in what && what.approve);
        case "act":
          return this.#act(what.verb, at);
      }
    });
  }

  /** Nobody is killed any more, whoever is asked agrees, and every time comes. */
  async driveToRest(): Promise<void> {
    const { aws, events } = this.#world;
    for (let round = 1; ; round++) {
      if (round > maxRounds) throw new Error(`no rest: ${JSON.stringify(await this.#world.seenPlans())}`);
      for (let turns = 1; aws.machines.turns > 0; turns++) {
        if (turns > maxTurns) throw new Error("the machines do not come to rest");
        await this.happens({ what: { kind: "turn" }, at: 0 });
      }
      await this.happens({ what: { kind: "reconcile" }, at: 0 });
      const due = events.due(nowSeconds());
      for (const event of due) await this.#work(() => events.deliver(event));
      if (aws.machines.turns > 0 || due.length > 0) continue;
      if (openApprovals(await this.#world.seen()).length > 0) {
        await this.#work(() => this.#answer(0, true));
        continue;
      }
      const next = events.next();
      if (next === undefined) break;
      vi.setSystemTime(next * 1000);
    }
    const seen = await this.#world.seenPlans();
    checkRest(seen, nowSeconds());
    const running = [...aws.machines.executions.values()]
      .filter(({ kind, status }) => kind === "release-plan" && status === "RUNNING")
      .map(({ name }) => name);
    const wanted = seen.plans.filter(isUnderWay).map(({ planId, round }) => `${planId}-${round}`);
    expect(running, "machines that wait").toEqual(wanted);
  }

  async #answer(at: number, approve: boolean): Promise<void> {
    const open = openApprovals(await this.#world.seen());
    const one = open[at % Math.max(open.length, 1)];
    if (one === undefined) return;
    const { task } = one.of;
    await approveTask({ ownerId: task.owner.id, taskId: task.taskId }, one.name, this.#world.actor, {
      approve,
      comment: "",
    });
  }

  async #act(verb: string, at: number): Promise<void> {
    const [plan] = (await this.#world.seenPlans()).plans;
    const job = plan?.jobs[at % plan.jobs.length];
    if (job !== undefined)
      await this.#call("POST", `/${verb}`, { id: job.id, name: job.name, type: job.type, spec: {} });
  }

  /** What is refused is refused in words; only who is killed fails otherwise. */
  async #call(method: string, call: string, body?: object): Promise<void> {
    const answer = await storeCallsOf(method, `${path}/${this.#id}${call}`, body === undefined ? {} : { body });
    if (answer.status >= 500) throw new Error(`${method} ${call}: ${answer.status} ${answer.body}`);
  }

  async #work(work: () => Promise<unknown>): Promise<void> {
    const problem = await work().then(
      () => undefined,
      (error: unknown) => error,
    );
    const wasKilled = this.#world.aws.revive();
    if (problem !== undefined && !wasKilled && !(problem instanceof ApiError)) throw problem;
    checkPlans(await this.#world.seenPlans());
  }
}

function bodyOf(shape: PlanShape, uid: string): object {
  const now = nowSeconds();
  const { jobs, autoExecute, stopOnFailure, concurrency, approved, validForMinutes, window, schedule } = shape;
  const names = jobs.map(({ kind }, at) => `${kind}-${at}`);
  const hasSchedule = schedule !== undefined && (window === undefined || schedule < window);
  const native_approval = { needed_approvers: 1, approve_users: [{ type: "user", user_id: uid, user_name: "admin" }] };
  return planBody({
    manager: "admin",
    ...(window !== undefined && { start_time: now - 10, end_time: now + window }),
    ...(hasSchedule && { schedule_execute_time: now + schedule }),
    settings: { auto_execute: autoExecute, stop_on_failure: stopOnFailure, concurrency },
    ...(approved && {
      approval: { enabled: true, type: "native", native_approval, valid_for_minutes: validForMinutes },
    }),
    jobs: jobs.map(({ kind, after }, at) => ({
      ...{ name: names[at], ...(after && at > 0 && { depends_on: [names[at - 1]] }) },
      ...(kind === "text"
        ? { type: "text", spec: { content: "", remark: "" } }
        : { type: "workflow", spec: { workflow_key: kind, project_key: project, inputs: [{ job_name: "j0-0" }] } }),
    })),
  });
}
