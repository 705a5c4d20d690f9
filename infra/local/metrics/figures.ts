import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { onFigure } from "../../../shared/figures/noteFigure.ts";
import type { Routes } from "../../../shared/http/route.ts";
import { createRouter, templateOf } from "../../../shared/http/router.ts";
import { dues } from "../../../shared/store/keys.ts";
import { onStoreCall, unrecorded } from "../../../shared/store/storeCalls.ts";
import { table } from "../../../shared/store/theTable.ts";
import { findTask, openTasks } from "../../../shared/workflows/records/findTasks.ts";
import { keptIn } from "./keptIn.ts";

/** Upper bounds of the durations that are told apart, in seconds; the last is what API Gateway lets a request take. */
const buckets = [0.01, 0.05, 0.1, 0.5, 1, 5, 29];

/** What is worked off, and so is due until it is done. Schedules, which are always there, are not. */
const openWork = {
  environment_changes: dues.changes,
  job_waits: dues.jobWaits,
  rollouts: dues.rollouts,
  release_plans: dues.releasePlans,
  delivery_versions: dues.deliveryVersions,
  approvals: dues.approvals,
  notifications: dues.deliveries,
  triggers: dues.hookDeliveries,
  artifacts: dues.artifacts,
} as const;

export interface Figures {
  /** Counts one answered request. */
  observe(method: string, path: string, status: number, seconds: number): void;
  /** Everything that was counted and what is open now, in the text format of Prometheus. */
  text(): Promise<string>;
  stop(): void;
}

/** Counts what one process does. Requests count under their declared path: what clients send makes no series of its own. */
export function startFigures(declarations: readonly Routes[]): Figures {
  const register = new Registry();
  const registers = [register];
  const requests = new Histogram({
    ...{ name: "slipway_http_request_duration_seconds", help: "Time until the answer was made", buckets, registers },
    labelNames: ["method", "route", "status"] as const,
  });
  const trips = new Counter({
    ...{ name: "slipway_store_calls_total", help: "Round trips to the table", registers },
    labelNames: ["call"] as const,
  });
  const units = new Counter({
    ...{ name: "slipway_store_capacity_units_total", help: "Read and write units of the table", registers },
    labelNames: ["call"] as const,
  });
  new Gauge({
    ...{ name: "slipway_open_tasks", help: "Tasks of workflows, tests and scans that are not over", registers },
    labelNames: ["status"] as const,
    async collect() {
      const statuses = await statusesOfTasks();
      this.reset();
      for (const status of statuses) this.inc({ status });
    },
  });
  new Gauge({
    ...{ name: "slipway_open_work", help: "What is recorded and not done yet", registers },
    labelNames: ["kind"] as const,
    async collect() {
      for (const [kind, pk] of Object.entries(openWork))
        this.set({ kind }, (await table().query<object>({ index: "due", pk })).length);
    },
  });
  const stops = [
    onStoreCall(({ kind: call, capacityUnits }) => {
      trips.inc({ call });
      units.inc({ call }, capacityUnits);
    }),
    onFigure(keptIn(register)),
  ];
  const router = createRouter(
    // Names of declarations are unique within their group alone.
    Object.fromEntries(
      declarations.flatMap((routes, at) => Object.entries(routes).map(([id, route]) => [`${at} ${id}`, route])),
    ),
  );
  let isProcessWatched = false;
  return {
    observe(method, path, status, seconds) {
      const match = router.match(method, path);
      const route = match.found === "route" ? templateOf(match.route.path) : "other";
      requests.observe({ method: match.found === "route" ? method : "other", route, status }, seconds);
    },
    text: () => {
      // Only whoever reads them pays for looking at the event loop.
      if (!isProcessWatched) collectDefaultMetrics({ register });
      isProcessWatched = true;
      return unrecorded(() => register.metrics());
    },
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}

async function statusesOfTasks(): Promise<string[]> {
  const found = await Promise.all((await openTasks()).map(({ ownerId, taskId }) => findTask(ownerId, taskId)));
  return found.flatMap((task) => (task === undefined ? [] : [task.status]));
}
