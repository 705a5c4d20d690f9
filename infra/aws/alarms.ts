import { Duration, Stack } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { tellOfFailedExecutions } from "./failedExecutions.ts";
import type { Watched } from "./watched.ts";

const period = Duration.minutes(5);
const sum = { period, statistic: "Sum" };

/**
 * Four alarms of one metric each, and a rule for executions: more alarms would cost more than the idle stack may. Who is to
 * be told subscribes to the topic.
 */
export class Alarms extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, { api, machines, workers }: Watched) {
    super(scope, id);
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
    tellOfFailedExecutions(this, machines, this.topic);
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
  }
}
