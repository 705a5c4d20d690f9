import { Stack } from "aws-cdk-lib";
import type { IRole } from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { CfnSchedule, CfnScheduleGroup } from "aws-cdk-lib/aws-scheduler";
import { Construct } from "constructs";
import { reconcilerScheduleName, scheduleGroupName } from "../names.ts";

/** Once a minute, and off until work begins: the functions turn it on and the reconciler turns it off (decisions 8.3). */
export class ReconcilerSchedule extends Construct {
  constructor(scope: Construct, id: string, options: { reconciler: IFunction; role: IRole }) {
    super(scope, id);
    const group = new CfnScheduleGroup(this, "Group", { name: scheduleGroupName(Stack.of(this)) });
    const schedule = new CfnSchedule(this, "Schedule", {
      name: reconcilerScheduleName,
      groupName: scheduleGroupName(Stack.of(this)),
      scheduleExpression: "rate(1 minute)",
      state: "DISABLED",
      flexibleTimeWindow: { mode: "OFF" },
      target: {
        arn: options.reconciler.functionArn,
        roleArn: options.role.roleArn,
        // The next minute is the repetition.
        retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
      },
    });
    schedule.addResourceDependency(group);
  }
}
