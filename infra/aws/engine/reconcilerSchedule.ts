import { Stack } from "aws-cdk-lib";
import type { IRole } from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { CfnSchedule, CfnScheduleGroup } from "aws-cdk-lib/aws-scheduler";
import { Construct } from "constructs";
import {
  failedEventsArn,
  reconcilerScheduleName,
  recountScheduleName,
  scheduleGroupName,
  sweepScheduleName,
} from "../names.ts";

/**
 * Once a minute while work is open: the functions turn it on and the reconciler turns it off (decisions 8.3). Every ten
 * minutes while something comes due by itself: the reconciler turns that on and off. Both begin off. Once a day, and when it
 * is made, statistics are counted again.
 */
export class ReconcilerSchedule extends Construct {
  constructor(scope: Construct, id: string, options: { reconciler: IFunction; recount: IFunction; role: IRole }) {
    super(scope, id);
    const groupName = scheduleGroupName(Stack.of(this));
    const group = new CfnScheduleGroup(this, "Group", { name: groupName });
    const add = (part: string, name: string, scheduleExpression: string, target: IFunction, state = "DISABLED") => {
      const schedule = new CfnSchedule(this, part, {
        name,
        groupName,
        scheduleExpression,
        state,
        flexibleTimeWindow: { mode: "OFF" },
        target: {
          arn: target.functionArn,
          roleArn: options.role.roleArn,
          // The next time is the repetition.
          retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
          deadLetterConfig: { arn: failedEventsArn(Stack.of(this)) },
        },
      });
      schedule.addResourceDependency(group);
    };
    add("Schedule", reconcilerScheduleName, "rate(1 minute)", options.reconciler);
    add("Sweep", sweepScheduleName, "rate(10 minutes)", options.reconciler);
    add("Recount", recountScheduleName, "rate(1 day)", options.recount, "ENABLED");
  }
}
