import { helmFunction, taskFunction } from "../../functions/engine/lambdaTask.ts";
import { machines } from "../../functions/engine/machines.ts";
import { handler as approvalFollower } from "../../functions/triggers/approval-follower/handler.ts";
import { handler as changeSocket } from "../../functions/triggers/change-socket/handler.ts";
import { handler as clusterWatcher } from "../../functions/triggers/cluster-watcher/handler.ts";
import { handler as helm } from "../../functions/triggers/helm/handler.ts";
import { handler as notifier } from "../../functions/triggers/notifier/handler.ts";
import { handler as planFollower } from "../../functions/triggers/plan-follower/handler.ts";
import { handler as reconciler } from "../../functions/triggers/reconciler/handler.ts";
import { handler as registryRefresh } from "../../functions/triggers/registry-refresh/handler.ts";
import { handler as sleepSchedule } from "../../functions/triggers/sleep-schedule/handler.ts";
import { handler as statisticsRecount } from "../../functions/triggers/statistics-recount/handler.ts";
import { handler as triggerStarter } from "../../functions/triggers/trigger-starter/handler.ts";
import { config, removeConfig } from "../../shared/base/settings/config.ts";
import { isPackage } from "../program.ts";
import { downloadHelm } from "./downloadHelm.ts";
import { type ThreadFunction, threadFunction } from "./threadFunction.ts";
import { unpackHelm } from "./unpackHelm.ts";
import { untilThereIsRoom } from "./untilThereIsRoom.ts";
import type { WatcherThreadData } from "./watcherThread.ts";

type Machine = (typeof machines)[keyof typeof machines];
type Work = (event: unknown, context: { signal: AbortSignal }) => Promise<unknown>;

export interface Workers {
  functions: Record<string, Work>;
  stateMachines: Record<string, object>;
  /** Ends running cluster watchers where they stand; their leases stay. */
  killWatchers(): Promise<void>;
}

export interface WorkerOptions {
  dataDir: string;
  hasWatcherThreads: boolean;
  /** Definitions by the names of their machines in place of today's: executions that an earlier release began have them. */
  definitions?: Readonly<Record<string, object>> | undefined;
}

/** Everything that is not HTTP, by the names it has in AWS. Nothing runs before `ready`. */
export function localWorkers(
  ready: Promise<void>,
  { dataDir, hasWatcherThreads, definitions = {} }: WorkerOptions,
): Workers {
  const watcher: ThreadFunction = hasWatcherThreads
    ? threadFunction(new URL("./watcherThread.ts", import.meta.url), { dataDir } satisfies WatcherThreadData)
    : { run: clusterWatcher, kill: async () => undefined };
  const work: Record<string, Work> = {
    ...mapped(
      ({ load }) =>
        async (event) =>
          (await load()).handler(event as never),
    ),
    "change-socket": changeSocket,
    "cluster-watcher": watcher.run,
    reconciler,
    "registry-refresh": registryRefresh,
    "sleep-schedule": sleepSchedule,
    "plan-follower": planFollower,
    "approval-follower": approvalFollower,
    "trigger-starter": triggerStarter,
    notifier,
    "statistics-recount": statisticsRecount,
    helm: async (event) => {
      // Only an installation that deploys charts needs it.
      const program = config().SLIPWAY_HELM === undefined ? await helmIn(dataDir) : undefined;
      if (program !== undefined) {
        process.env.SLIPWAY_HELM = program;
        removeConfig();
      }
      return helm(event);
    },
  };
  const gated = Object.entries(work).map(([name, run]): [string, Work] => [
    name,
    async (event, context) => {
      await ready;
      return untilThereIsRoom(() => run(event, context), context.signal);
    },
  ]);
  return {
    functions: Object.fromEntries(gated),
    stateMachines: mapped(({ definition }, name) => {
      // CDK fills in the ARN of the function; here it is called by its name.
      const text = JSON.stringify(definitions[name] ?? definition);
      return JSON.parse(text.replaceAll(taskFunction, name).replaceAll(helmFunction, "helm"));
    }),
    killWatchers: watcher.kill,
  };
}

/** Helm's program. Where it cannot be fetched, the chart fails and says so, and the next one tries again. */
function helmIn(dataDir: string): string | undefined | Promise<string | undefined> {
  const unpacked = unpackHelm(dataDir);
  if (unpacked !== undefined || !isPackage) return unpacked;
  return downloadHelm(dataDir).catch((error: Error) => {
    console.error(`Helm cannot be fetched: ${error.message.trim()}`);
    return undefined;
  });
}

/** Something of every state machine, by its name. */
function mapped<T>(change: (machine: Machine, name: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(machines).map(([name, machine]) => [name, change(machine, name)]));
}
