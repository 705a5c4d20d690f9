import { Duration, Stack } from "aws-cdk-lib";
import {
  Alarm,
  AlarmRule,
  ComparisonOperator,
  CompositeAlarm,
  type IMetric,
  Metric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import type { MetricName } from "../../shared/base/metrics/figures.ts";
import { notifyOfFailedExecutions } from "./failedExecutions.ts";
import { scheduleGroupName } from "./names.ts";
import type { AlarmReceiver } from "./options/options.ts";
import type { Watched } from "./watched.ts";

const period = Duration.minutes(5);
const sum = { period, statistic: "Sum" };

/**
 * Four alarms of one metric each, and a rule for executions: more alarms would cost more than the idle stack may. Where
 * alarms have a receiver there are more of them. Others subscribe to the topic.
 */
export class Alarms extends Construct {
  readonly topic: Topic;
  readonly #alarms: Alarm[] = [];

  constructor(scope: Construct, id: string, watched: Watched, receiver: AlarmReceiver | undefined) {
    super(scope, id);
    const { api, machines, workers } = watched;
    this.topic = new Topic(this, "Topic", { displayName: "Slipway alarms", enforceSSL: true });
    // A policy of its own takes the place of the one by which services of the account publish.
    this.topic.grantPublish(
      new ServicePrincipal("cloudwatch.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": Stack.of(this).account } },
      }),
    );
    this.#add("ApiFails", api.rest.metricServerError(sum), 5, "Calls are answered with 5xx");
    this.#add(
      "FunctionsThrottled",
      LambdaFunction.metricAllThrottles(sum),
      10,
      "Functions of this account and region wait for each other: ask AWS for a higher concurrency",
    );
    this.#add(
      "WatcherFails",
      workers["cluster-watcher"].metricErrors(sum),
      3,
      "A cluster's watcher fails; waits end a minute later, through the reconciler",
    );
    this.#add(
      "ReconcilerFails",
      workers.reconciler.metricErrors(sum),
      3,
      "The reconciler fails: what a crash leaves behind stays",
    );
    notifyOfFailedExecutions(this, machines, this.topic);
    if (receiver === undefined) return;
    this.topic.addSubscription(new EmailSubscription(receiver.email));
    this.#addMore(watched);
  }

  #addMore({ api, table, machines, workers, failedEvents }: Watched): void {
    const { stackName: Installation } = Stack.of(this);
    const ofInstallation = (metricName: MetricName, statistic: string) =>
      new Metric({ namespace: "Slipway", metricName, dimensionsMap: { Installation }, period, statistic });
    const ofTable = (name: string) => table.metric(name, sum);
    this.#add(
      "WritesThrottled",
      ofTable("WriteThrottleEvents"),
      10,
      "The table refuses writes; they are repeated for seconds",
    );
    this.#add(
      "ReadsThrottled",
      ofTable("ReadThrottleEvents"),
      10,
      "The table refuses reads; they are repeated for seconds",
    );
    this.#add(
      "EventsFailed",
      failedEvents.metricApproximateNumberOfMessagesVisible({ period, statistic: "Maximum" }),
      1,
      "Events wait to be sent again: see the functions' logs, then run npm run redrive",
    );
    this.#add(
      "SchedulesFail",
      new Metric({
        namespace: "AWS/Scheduler",
        metricName: "TargetErrorCount",
        dimensionsMap: { ScheduleGroup: scheduleGroupName(Stack.of(this)) },
        ...sum,
      }),
      3,
      "Schedules reach their targets no more",
    );
    this.#add(
      "RecordsDelayed",
      ofInstallation("RecordsDelayed", "Sum"),
      1,
      "A record of the operation log was not written at its request's end; npm run audit:verify names what is missing",
    );
    this.#add(
      "ClustersSilent",
      ofInstallation("WatcherLag", "Maximum"),
      180,
      "A watched cluster says nothing: it or the way to it is gone",
    );
    this.#add(
      "ReconcilerThrottled",
      workers.reconciler.metricThrottles(sum),
      3,
      "The reconciler finds no free execution: what a crash leaves behind stays",
    );
    this.#add(
      "TasksThrottled",
      machines["workflow-task"].metricThrottled(sum),
      10,
      "Executions of tasks wait for Step Functions",
    );
    this.#add(
      "ApiSlow",
      api.rest.metricLatency({ period, statistic: "p99" }),
      15_000,
      "One call in a hundred takes longer than 15 seconds",
    );
    new CompositeAlarm(this, "Unhealthy", {
      compositeAlarmName: `${Installation}-unhealthy`,
      alarmDescription: "Any alarm of this installation: for pipelines that stop and for rollback triggers",
      // Each of its alarms tells the topic by itself.
      alarmRule: AlarmRule.anyOf(...this.#alarms),
    });
  }

  #add(id: string, metric: IMetric, threshold: number, alarmDescription: string): void {
    const alarm = new Alarm(this, id, {
      metric,
      threshold,
      alarmDescription,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
    this.#alarms.push(alarm);
  }
}
