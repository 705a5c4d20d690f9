import { handler as follow } from "../../../functions/triggers/plan-follower/handler.ts";
import type { TimedEvent } from "../../../shared/base/aws/adapters.ts";
import { removeConfig } from "../../../shared/base/settings/config.ts";
import type { Key } from "../../../shared/base/store/keys/keys.ts";
import { findPlansWithEffects, followPlan } from "../../../shared/releaseplans/records/pendingEffects.ts";
import type { StoredEntry } from "../../../shared/releaseplans/records/planLog.ts";
import type { StoredPlan } from "../../../shared/releaseplans/records/plans.ts";
import type { PlannedTask } from "../../../shared/releaseplans/rules/plan.ts";
import type { Task } from "../../../shared/workflows/records/task.ts";
import { type RawItem, rawItems } from "../../harness/rawItems.ts";
import { makeWorkflow } from "../../harness/tasks.ts";
import { definitionOf } from "../../tasks/model/modelWorkflow.ts";
import { type ModelWorld, project, startModelWorld } from "../../tasks/model/modelWorld.ts";
import { jobKinds } from "./planRun.ts";
import type { SeenPlans } from "./planTable.ts";

/** An event that the follower of plans is still to be given. */
interface FollowerEvent {
  planId: string;
  what?: string;
  /** Unix seconds; nobody is called before. */
  at?: number;
}

/** The real store and the real functions; Step Functions, Lambda's events and the Scheduler are played. */
export interface PlanWorld extends ModelWorld {
  seenPlans(): Promise<SeenPlans>;
  events: PlayedEvents;
}

const gateOf = { passes: "gate", fails: "bad", asks: "ask" } as const;

export async function startPlanWorld(): Promise<PlanWorld> {
  const world = await startModelWorld();
  Object.assign(process.env, {
    SLIPWAY_RELEASE_PLAN_ARN: "release-plan",
    SLIPWAY_PLAN_FOLLOWER_ARN: "plan-follower",
  });
  removeConfig();
  const items = rawItems;
  const events = new PlayedEvents();
  return {
    ...world,
    aws: world.aws,
    events,
    reconcile: async () => {
      await world.reconcile();
      for (const planId of await findPlansWithEffects()) await followPlan(planId);
    },
    seenPlans: async () => seenIn(await items.all()),
    clear: async () => {
      await world.clear();
      events.clear();
      world.aws.answerWith((call, values) => events.take(call, values));
      const left = (await items.all()).filter(({ pk }) => pk.startsWith("release-plan"));
      await Promise.all(left.map((item: Key) => items.remove(item)));
      for (const kind of jobKinds) {
        const stages = [{ parallel: false, approval: false, jobs: [gateOf[kind]] }];
        await makeWorkflow(project, definitionOf(kind, stages, -1, world.actor.uid));
      }
    },
    close: async () => {
      await world.close();
    },
  };
}

/** What Lambda and the Scheduler keep for the follower: given once at least, in any order, never before its time. */
export class PlayedEvents {
  #queued: FollowerEvent[] = [];
  #scheduled = new Map<string, FollowerEvent>();

  /** @returns whether a call of an adapter was about the follower */
  take(call: string, [first, second]: readonly unknown[]): boolean {
    if (call === "functions.invokeLater" && first === "plan-follower") this.#queued.push(JSON.parse(String(second)));
    else if (call === "schedules.remove" && String(first).startsWith("plan-")) this.#scheduled.delete(String(first));
    else if (call === "schedules.put" && (first as TimedEvent).name.startsWith("plan-")) {
      const { name, event } = first as TimedEvent;
      this.#scheduled.set(name, structuredClone(event) as unknown as FollowerEvent);
    } else return false;
    return true;
  }

  /** Those whose time has come. @param now Unix seconds */
  due(now: number): FollowerEvent[] {
    return this.#all().filter(({ at = 0 }) => at <= now);
  }

  /** When the next one comes, if none is due. */
  next(): number | undefined {
    const times = this.#all().flatMap(({ at }) => at ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Calls the follower; who is killed meanwhile is called again. */
  async deliver(event: FollowerEvent, keep = false): Promise<void> {
    await follow(event);
    if (keep) return;
    this.#queued = this.#queued.filter((one) => one !== event);
    for (const [name, one] of this.#scheduled) if (one === event) this.#scheduled.delete(name);
  }

  clear(): void {
    this.#queued = [];
    this.#scheduled.clear();
  }

  #all(): FollowerEvent[] {
    return [...this.#queued, ...this.#scheduled.values()];
  }
}

function seenIn(items: readonly RawItem[]): SeenPlans {
  const ofType = <T>(type: string) => items.filter((item) => item.type === type) as unknown as (T & RawItem)[];
  const entries = ofType<StoredEntry>("release-plan-log").sort((a, b) => a.sequence - b.sequence);
  return {
    plans: ofType<StoredPlan>("release-plan") as StoredPlan[],
    logs: Map.groupBy(entries, ({ pk }) => pk.slice(pk.indexOf("#") + 1)),
    owed: ofType<{ planId: string; cancels: PlannedTask[] }>("release-plan-owed"),
    tasks: ofType<Task>("task"),
  };
}
