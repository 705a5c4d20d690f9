import { Stack } from "aws-cdk-lib";
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  PeriodOverride,
} from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { MetricName } from "../../shared/base/metrics/figures.ts";
import type { Watched } from "./watched.ts";

/** One page: what is asked, what fails, how long it takes, what the table does, and how work goes on. */
export function addDashboard(scope: Construct, watched: Watched): void {
  const { api, table, machines, groups, workers, failedEvents } = watched;
  const stack = Stack.of(scope);
  new Dashboard(scope, "Dashboard", {
    dashboardName: `${stack.stackName}-${stack.region}`,
    periodOverride: PeriodOverride.AUTO,
    widgets: [
      objectives(watched),
      [
        graph("Calls", [api.rest.metricCount(), api.rest.metricClientError(), api.rest.metricServerError()]),
        graph("Latency of a call (p50, p99)", [
          api.rest.metricLatency({ statistic: "p50" }),
          api.rest.metricLatency({ statistic: "p99" }),
        ]),
        graph(
          "Errors of endpoint groups",
          Object.values(groups).map((group) => group.metricErrors()),
        ),
      ],
      [
        graph(
          "Executions: changes of environments, tasks, jobs",
          Object.values(machines).flatMap((machine) => [
            machine.metricStarted(),
            machine.metricFailed(),
            machine.metricTimedOut(),
          ]),
        ),
        graph(
          "Workers: runs and errors",
          Object.values(workers).flatMap((worker) => [worker.metricInvocations(), worker.metricErrors()]),
        ),
        graph("Table: units", [table.metricConsumedReadCapacityUnits(), table.metricConsumedWriteCapacityUnits()]),
      ],
      ...figuresOf(stack),
      [graph("Events that wait to be sent again", [failedEvents.metricApproximateNumberOfMessagesVisible()])],
    ],
  });
}

/** What the installation promises (docs/aws.md, "Objectives"), each with its line. */
function objectives({ api, workers }: Watched): GraphWidget[] {
  const { stackName: Installation } = Stack.of(api);
  const usingMetrics = { failed: api.rest.metricServerError({ statistic: "Sum" }), all: api.rest.metricCount() };
  const answered = { expression: "100 * (1 - FILL(failed, 0) / all)", usingMetrics, label: "answered without 5xx (%)" };
  const metric = (metricName: MetricName) =>
    new Metric({ namespace: "Slipway", metricName, dimensionsMap: { Installation }, statistic: "p99" });
  const promise = (title: string, left: IMetric, value: number) =>
    new GraphWidget({ title, left: [left], width: 8, height: 6, leftAnnotations: [{ value, label: "objective" }] });
  return [
    promise("Calls answered: 99.9%", new MathExpression(answered), 99.9),
    promise("Start of a job, p99: 5 s", metric("JobWait"), 5),
    promise(
      "Duration of the reconciler: 3 minutes",
      workers.reconciler.metricDuration({ statistic: "Maximum" }),
      180_000,
    ),
  ];
}

/** What functions measure in their logs (docs/metrics.md); it is empty while the installation is not used. */
function figuresOf({ stackName: Installation }: Stack): GraphWidget[][] {
  const metric = (metricName: MetricName, statistic: string) =>
    new Metric({ namespace: "Slipway", metricName, dimensionsMap: { Installation }, statistic });
  const [open, waiting] = [metric("TasksOpen", "Maximum"), metric("TasksWaiting", "Maximum")];
  const begun = { expression: "open - waiting", usingMetrics: { open, waiting }, label: "TasksBegun" };
  return [
    [
      graph("Tasks: waiting, begun", [waiting, new MathExpression(begun)]),
      graph("Jobs: ready until begun (p50, p95)", [metric("JobWait", "p50"), metric("JobWait", "p95")]),
      graph("Jobs: duration (p50, p95)", [metric("JobDuration", "p50"), metric("JobDuration", "p95")]),
    ],
    [
      graph("Deliveries: sent, failed, waiting", [
        metric("DeliveriesSent", "Sum"),
        metric("DeliveriesFailed", "Sum"),
        metric("DeliveriesWaiting", "Maximum"),
      ]),
      graph("Copies of images: bytes, ended, failed", [
        metric("ImageBytesCopied", "Sum"),
        metric("ImageBytesCopied", "SampleCount"),
        metric("ImageCopiesFailed", "Sum"),
      ]),
      graph("Lag of cluster watchers", [metric("WatcherLag", "Maximum")]),
    ],
    [
      graph("Requests as functions see them (p50, p99)", [
        metric("RequestDuration", "p50"),
        metric("RequestDuration", "p99"),
      ]),
      graph("Table: units as functions see them", [metric("StoreUnits", "Sum")]),
      graph("Records of the operation log that wait for the reconciler", [metric("RecordsDelayed", "Sum")]),
    ],
  ];
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 8, height: 6 });
}
