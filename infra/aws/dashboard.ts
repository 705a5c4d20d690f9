import { Stack } from "aws-cdk-lib";
import { Dashboard, GraphWidget, type IMetric, PeriodOverride } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { Watched } from "./watched.ts";

/** One page: what is asked, what fails, how long it takes, what the table does. */
export function addDashboard(scope: Construct, { api, table, machines, groups, workers }: Watched): void {
  const stack = Stack.of(scope);
  new Dashboard(scope, "Dashboard", {
    dashboardName: `${stack.stackName}-${stack.region}`,
    periodOverride: PeriodOverride.AUTO,
    widgets: [
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
    ],
  });
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 8, height: 6 });
}
