import { Aws, RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { DefinitionBody, LogLevel, StateMachine } from "aws-cdk-lib/aws-stepfunctions";
import type { Construct } from "constructs";
import { partition, taskFunction } from "../../../functions/engine/lambdaTask.ts";
import { accept } from "../accept.ts";
import { stateMachineName } from "../names.ts";

export interface TaskMachineOptions {
  name: string;
  definition: object;
  /** Works its tasks off. */
  tasks: IFunction;
  /** Other functions that it calls, by their placeholders in the definition. */
  others: Readonly<Record<string, IFunction>>;
}

/** A state machine from the definition that also runs on one machine; one function works its tasks off. */
export class TaskMachine extends StateMachine {
  constructor(scope: Construct, id: string, { definition, tasks, others, ...options }: TaskMachineOptions) {
    const text = JSON.stringify(definition);
    const called = Object.entries(others).filter(([placeholder]) => text.includes(placeholder));
    const name = stateMachineName(Stack.of(scope), options.name);
    const role = new Role(scope, `${id}Role`, {
      description: `Slipway: what the state machine ${options.name} may do`,
      assumedBy: new ServicePrincipal("states.amazonaws.com"),
      inlinePolicies: {
        rights: new PolicyDocument({
          statements: [
            new PolicyStatement({
              sid: "RunTasks",
              actions: ["lambda:InvokeFunction"],
              resources: [tasks, ...called.map(([, one]) => one)].map(({ functionArn }) => functionArn),
            }),
          ],
        }),
      },
    });
    super(scope, id, {
      stateMachineName: name,
      role,
      definitionBody: DefinitionBody.fromString(text),
      definitionSubstitutions: Object.fromEntries(
        [
          [partition, Aws.PARTITION] as const,
          ...[[taskFunction, tasks] as const, ...called].map(([text, one]) => [text, one.functionArn] as const),
        ].map(([placeholder, value]) => [placeholder.slice(2, -1), value]),
      ),
      tracingEnabled: true,
      logs: {
        level: LogLevel.ALL,
        // Inputs hold ids and task tokens; the events alone tell what happened.
        includeExecutionData: false,
        destination: new LogGroup(scope, `${id}Log`, {
          logGroupName: `/aws/vendedlogs/states/${name}`,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
      },
    });
    accept(role, {
      "AwsSolutions-IAM5[Resource::*]":
        "Delivery of logs and traces knows no resources: AWS documents both for * only.",
    });
  }
}
