import { figures } from "../../shared/base/metrics/figures.ts";

/** A plot: its queries by what their lines are called. */
interface Plot {
  title: string;
  /** Grafana's name. */
  unit: "short" | "s" | "reqps" | "Bps" | "bytes";
  queries: Readonly<Record<string, string>>;
}

const { requests, storeUnits, openTasks, openWork, jobWait, jobDuration, watcherLag, deliveries } = figures;
const { copiesRunning, copies, copiedBytes, recordsDelayed } = figures;

const rate = (name: string): string => `rate(${name}[$__rate_interval])`;
const share = (part: number, { name }: { name: string }, by = ""): string =>
  `histogram_quantile(${part}, sum by (le${by}) (${rate(`${name}_bucket`)}))`;

const plots: readonly Plot[] = [
  {
    ...{ title: "Requests", unit: "reqps" },
    queries: { "{{status}}": `sum by (status) (${rate(`${requests.name}_count`)})` },
  },
  {
    ...{ title: "Time until the answer", unit: "s" },
    queries: { p50: share(0.5, requests), p95: share(0.95, requests), p99: share(0.99, requests) },
  },
  {
    ...{ title: "Units of the table a second", unit: "short" },
    queries: { "{{call}}": `sum by (call) (${rate(storeUnits.name)})` },
  },
  { ...{ title: "Open tasks", unit: "short" }, queries: { "{{status}}": `sum by (status) (${openTasks.name})` } },
  {
    ...{ title: "Jobs: ready until begun", unit: "s" },
    queries: { p50: share(0.5, jobWait), p95: share(0.95, jobWait) },
  },
  {
    ...{ title: "Jobs: duration (p95)", unit: "s" },
    queries: { "{{type}}": share(0.95, jobDuration, ", type") },
  },
  {
    ...{ title: "Jobs that ended, by status", unit: "short" },
    queries: { "{{status}}": `sum by (status) (increase(${jobDuration.name}_count[$__rate_interval]))` },
  },
  { ...{ title: "Open work", unit: "short" }, queries: { "{{kind}}": `sum by (kind) (${openWork.name})` } },
  { ...{ title: "Lag of cluster watchers", unit: "s" }, queries: { "{{cluster}}": watcherLag.name } },
  {
    ...{ title: "Deliveries", unit: "short" },
    queries: {
      "{{type}} {{outcome}}": `sum by (type, outcome) (increase(${deliveries.name}[$__rate_interval]))`,
    },
  },
  {
    ...{ title: "Records of the operation log that wait for the reconciler", unit: "short" },
    queries: { delayed: `sum(increase(${recordsDelayed.name}[$__rate_interval]))` },
  },
  {
    ...{ title: "Copies of images", unit: "short" },
    queries: {
      running: `sum(${copiesRunning.name})`,
      "{{outcome}}": `sum by (outcome) (increase(${copies.name}[$__rate_interval]))`,
    },
  },
  { ...{ title: "Sent to registries", unit: "Bps" }, queries: { sent: `sum(${rate(copiedBytes.name)})` } },
  {
    ...{ title: "Memory of the program", unit: "bytes" },
    queries: { resident: "process_resident_memory_bytes", heap: "nodejs_heap_size_used_bytes" },
  },
  { ...{ title: "Lag of the event loop (p99)", unit: "s" }, queries: { lag: "nodejs_eventloop_lag_p99_seconds" } },
];

const [columns, width, height] = [3, 8, 8];

/** A dashboard for Grafana 9 and later, of what `/metrics` reports; the user who imports it chooses the Prometheus. */
export function grafanaDashboard() {
  const datasource = { type: "prometheus", uid: "$datasource" };
  return {
    ...{ uid: "slipway", title: "Slipway", schemaVersion: 38, version: 1, editable: true },
    ...{ time: { from: "now-6h", to: "now" }, refresh: "30s", timezone: "" },
    templating: { list: [{ name: "datasource", label: "Prometheus", type: "datasource", query: "prometheus" }] },
    panels: plots.map(({ title, unit, queries }, at) => ({
      ...{ id: at + 1, type: "timeseries", title, datasource },
      gridPos: { x: (at % columns) * width, y: Math.floor(at / columns) * height, w: width, h: height },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: Object.entries(queries).map(([legendFormat, expr], query) => ({
        ...{ refId: String.fromCharCode("A".charCodeAt(0) + query), datasource, expr, legendFormat },
      })),
    })),
  };
}
