import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { figures } from "../../../shared/base/metrics/figures.ts";
import { onFigure } from "../../../shared/base/metrics/recordMetric.ts";
import { dues } from "../../../shared/base/store/keys/keys.ts";
import { unrecorded } from "../../../shared/base/store/storeCalls.ts";
import { table } from "../../../shared/base/store/table.ts";
import type { Routes } from "../../../shared/http/route.ts";
import { createRouter, templateOf } from "../../../shared/http/router.ts";
import { openTasks, readTaskRecords } from "../../../shared/workflows/records/findTasks.ts";
import { configured, keptIn } from "./keptIn.ts";

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
  new Gauge({
    ...configured(figures.openTasks, register),
    async collect() {
      const statuses = await statusesOfTasks();
      this.reset();
      for (const status of statuses) this.inc({ status });
    },
  });
  new Gauge({
    ...configured(figures.openWork, register),
    async collect() {
      for (const [kind, pk] of Object.entries(openWork))
        this.set({ kind }, (await table().query<object>({ index: "due", pk })).length);
    },
  });
  const keep = keptIn(register);
  const stop = onFigure(keep);
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
      const labels = { method: match.found === "route" ? method : "other", route, status: String(status) };
      keep({ id: "requests", labels, value: seconds });
    },
    text: () => {
      // The event loop is watched from the first read on, so that it costs nothing before.
      if (!isProcessWatched) collectDefaultMetrics({ register });
      isProcessWatched = true;
      return unrecorded(() => register.metrics());
    },
    stop,
  };
}

async function statusesOfTasks(): Promise<string[]> {
  return (await readTaskRecords(await openTasks())).map(({ status }) => status);
}
