import { Stack } from "aws-cdk-lib";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import { failedEventsArn, functionArn } from "../names.ts";

/** Lets EventBridge Scheduler start the reconciler and what environments, release plans, approvals and workflows are timed by, for schedules of this account only. */
export class SchedulerRole extends Role {
  constructor(scope: Construct, id: string) {
    const stack = Stack.of(scope);
    super(scope, id, {
      description: "Slipway: starts the reconciler and the schedules of environments",
      assumedBy: new ServicePrincipal("scheduler.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": stack.account } },
      }),
      inlinePolicies: {
        rights: new PolicyDocument({
          statements: [
            new PolicyStatement({
              sid: "StartTimedFunctions",
              actions: ["lambda:InvokeFunction"],
              resources: [
                "reconciler",
                "sleep-schedule",
                "plan-follower",
                "approval-follower",
                "trigger-starter",
                "statistics-recount",
              ].map((name) => functionArn(stack, name)),
            }),
            new PolicyStatement({
              sid: "KeepFailedEvents",
              actions: ["sqs:SendMessage"],
              resources: [failedEventsArn(stack)],
            }),
          ],
        }),
      },
    });
  }
}
