/** How a figure is kept: a sum that grows, a value that stands, or values by their size. */
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
}

/** What holds for seconds and for hours. */
const long = [1, 5, 15, 60, 300, 900, 3600];

/** Everything that is measured where it happens, whoever asks for it. */
export const figures = {
  jobWait: {
    ...{ name: "slipway_job_wait_seconds", kind: "histogram", labels: ["type"], buckets: long },
    help: "From when a job of a task was ready until it began",
  },
  jobDuration: {
    ...{ name: "slipway_job_duration_seconds", kind: "histogram", labels: ["type", "status"], buckets: long },
    help: "From the beginning of a job of a task to its end",
  },
  watcherLag: {
    ...{ name: "slipway_watcher_lag_seconds", kind: "gauge", labels: ["cluster"] },
    help: "Since the quietest watch of a watched cluster told its last event or bookmark",
  },
  deliveries: {
    ...{ name: "slipway_deliveries_total", kind: "counter", labels: ["type", "outcome"] },
    help: "Notifications and hooks that were sent, or given up",
  },
  copiesRunning: {
    ...{ name: "slipway_image_copies_running", kind: "gauge", labels: [] },
    help: "Images on their way from registry to registry",
  },
  copies: {
    ...{ name: "slipway_image_copies_total", kind: "counter", labels: ["outcome"] },
    help: "Copies of images that ended",
  },
  copiedBytes: {
    ...{ name: "slipway_image_copied_bytes_total", kind: "counter", labels: [] },
    help: "Sent to registries by copies that ended; what these had already is not counted",
  },
} as const satisfies Readonly<Record<string, Figure>>;

export type FigureId = keyof typeof figures;
export type LabelsOf<Id extends FigureId> = Readonly<Record<(typeof figures)[Id]["labels"][number], string>>;
