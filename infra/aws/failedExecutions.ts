import { EventField, Rule, RuleTargetInput } from "aws-cdk-lib/aws-events";
import { SnsTopic } from "aws-cdk-lib/aws-events-targets";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { IStateMachine } from "aws-cdk-lib/aws-stepfunctions";
import type { Construct } from "constructs";
import { machines as list, type MachineName } from "../../functions/engine/machines.ts";
import type { Machines } from "./engine/machines.ts";

/**
 * Tells the topic of every execution that ended without an answer: failed and timed out of every machine, aborted of those
 * that Slipway never aborts itself (it does that to a change that another one replaces). A rule costs nothing; an alarm
 * for each machine and way would.
 */
export function notifyOfFailedExecutions(scope: Construct, machines: Machines, topic: ITopic): void {
  const neverAborted = Object.entries(machines).flatMap(([name, machine]) => {
    return list[name as MachineName].isReplaced ? [] : [machine];
  });
  const arns = (some: readonly IStateMachine[]) => some.map(({ stateMachineArn }) => stateMachineArn);
  const rule = new Rule(scope, "FailedExecutions", {
    description: "Slipway: executions that ended in an error",
    eventPattern: {
      source: ["aws.states"],
      detailType: ["Step Functions Execution Status Change"],
      detail: {
        $or: [
          { status: ["FAILED", "TIMED_OUT"], stateMachineArn: arns(Object.values(machines)) },
          { status: ["ABORTED"], stateMachineArn: arns(neverAborted) },
        ],
      },
    },
  });
  const [name, machine, status] = ["name", "stateMachineArn", "status"].map((field) =>
    EventField.fromPath(`$.detail.${field}`),
  );
  rule.addTarget(
    new SnsTopic(topic, {
      message: RuleTargetInput.fromText(
        `Slipway: execution ${name} of ${machine} ended as ${status}. What it worked on is ended by the reconciler; the execution's events tell why.`,
      ),
    }),
  );
}
