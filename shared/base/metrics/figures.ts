/** How a figure is kept: a sum that grows, a current value, or values by their size. */
type FigureKind = "counter" | "gauge" | "histogram";

/** Something that is measured, once for the text of Prometheus and for CloudWatch. */
export interface Figure {
  /** As Prometheus wants it: base units, `_total` of counters. */
  name: string;
  kind: FigureKind;
  help: string;
  /** Each with few values: never ids of people's records, but of clusters. */
  labels: readonly string[];
  /** Upper bounds of a histogram, in the unit of the figure. */
  buckets?: readonly number[];
  /** Its metric in CloudWatch, where it has one: each is paid for, so there is none for each label. */
  metric?: Metric;
}

export interface Metric {
  /** Or of which values of a label there is a metric, and its name. */
  name: string | { label: string; names: Readonly<Record<string, string>> };
  unit: "Seconds" | "Bytes" | "Count";
  /** It has no line of its own: the sum goes with the next line of the process. */
  rides?: true;
}

/** What holds for seconds and for hours. */
const long = [1, 5, 15, 60, 300, 900, 3600];

/** Everything that is measured. */
export const figures = {
  requests: {
    ...{ name: "slipway_http_request_duration_seconds", kind: "histogram" },
    labels: ["method", "route", "status"],
    // The last is what API Gateway lets a request take.
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 29],
    help: "Time until the answer was made",
    metric: { name: "RequestDuration", unit: "Seconds" },
  },
  storeCalls: {
    ...{ name: "slipway_store_calls_total", kind: "counter" },
    labels: ["call"],
    help: "Round trips to the table",
  },
  storeUnits: {
    ...{ name: "slipway_store_capacity_units_total", kind: "counter" },
    labels: ["call"],
    help: "Read and write units of the table",
    metric: { name: "StoreUnits", unit: "Count", rides: true },
  },
  openTasks: {
    ...{ name: "slipway_open_tasks", kind: "gauge" },
    labels: ["status"],
    help: "Tasks of workflows, tests and scans that are not over",
    metric: { name: { label: "status", names: { open: "TasksOpen", waiting: "TasksWaiting" } }, unit: "Count" },
  },
  openWork: {
    ...{ name: "slipway_open_work", kind: "gauge" },
    labels: ["kind"],
    help: "What is recorded and not done yet",
    metric: { name: { label: "kind", names: { notifications: "DeliveriesWaiting" } }, unit: "Count" },
  },
  jobWait: {
    ...{ name: "slipway_job_wait_seconds", kind: "histogram" },
    labels: ["type"],
    buckets: long,
    help: "From when a job of a task was ready until it began",
    metric: { name: "JobWait", unit: "Seconds" },
  },
  jobDuration: {
    ...{ name: "slipway_job_duration_seconds", kind: "histogram" },
    labels: ["type", "status"],
    buckets: long,
    help: "From the beginning of a job of a task to its end",
    metric: { name: "JobDuration", unit: "Seconds" },
  },
  watcherLag: {
    ...{ name: "slipway_watcher_lag_seconds", kind: "gauge" },
    labels: ["cluster"],
    help: "Since the quietest watch of a watched cluster told its last event or bookmark",
    metric: { name: "WatcherLag", unit: "Seconds" },
  },
  deliveries: {
    ...{ name: "slipway_deliveries_total", kind: "counter" },
    labels: ["type", "outcome"],
    help: "Notifications and hooks that were sent, or given up",
    metric: {
      name: { label: "outcome", names: { sent: "DeliveriesSent", failed: "DeliveriesFailed" } },
      unit: "Count",
    },
  },
  recordsDelayed: {
    ...{ name: "slipway_operation_records_delayed_total", kind: "counter" },
    labels: [],
    help: "Records of the operation log that a request could not write; the reconciler writes them",
    metric: { name: "RecordsDelayed", unit: "Count" },
  },
  copiesRunning: {
    ...{ name: "slipway_image_copies_running", kind: "gauge" },
    labels: [],
    help: "Images on their way from registry to registry",
  },
  copies: {
    ...{ name: "slipway_image_copies_total", kind: "counter" },
    labels: ["outcome"],
    help: "Copies of images that ended",
    // How many ended at all says the number of samples of the bytes.
    metric: { name: { label: "outcome", names: { failed: "ImageCopiesFailed" } }, unit: "Count" },
  },
  copiedBytes: {
    ...{ name: "slipway_image_copied_bytes_total", kind: "counter" },
    labels: [],
    help: "Sent to registries by copies that ended; what these had already is not counted",
    metric: { name: "ImageBytesCopied", unit: "Bytes" },
  },
} as const satisfies Readonly<Record<string, Figure>>;

export type FigureId = keyof typeof figures;
export type LabelsOf<Id extends FigureId> = Readonly<Record<(typeof figures)[Id]["labels"][number], string>>;
type MetricOf<Of> = Of extends { metric: { name: infer Name } }
  ? Name extends { names: infer Names }
    ? Names[keyof Names]
    : Name
  : never;

/** Every name in CloudWatch. */
export type MetricName = { [Id in FigureId]: MetricOf<(typeof figures)[Id]> }[FigureId] & string;
