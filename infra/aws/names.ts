import { ArnFormat, type Stack } from "aws-cdk-lib";

/**
 * Names chosen here instead of by CloudFormation, so that a function can name another one, or itself, without a cycle
 * of references.
 */
export const functionName = (stack: Stack, name: string): string => `${stack.stackName}-${name}`;

/** @param alias a version of it that has a name; absent: the function as it was deployed last */
export const functionArn = (stack: Stack, name: string, alias?: string): string =>
  stack.formatArn({
    service: "lambda",
    resource: "function",
    resourceName: functionName(stack, name) + (alias === undefined ? "" : `:${alias}`),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

/** The version of a function whose executions are kept ready. */
export const readyAlias = "ready";

export const stateMachineName = (stack: Stack, name: string): string => `${stack.stackName}-${name}`;

export const stateMachineArn = (stack: Stack, name: string): string =>
  stack.formatArn({
    service: "states",
    resource: "stateMachine",
    resourceName: stateMachineName(stack, name),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

export const executionArn = (stack: Stack, machine: string, execution: string): string =>
  stack.formatArn({
    service: "states",
    resource: "execution",
    resourceName: `${stateMachineName(stack, machine)}:${execution}`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

export const scheduleGroupName = (stack: Stack): string => stack.stackName;

/** `slipway` for the stack as it is named here; a second installation in an account has a bus of its own. */
export const eventBusName = (stack: Stack): string => stack.stackName.toLowerCase();

/** Of events that no attempt brought to an end. */
export const failedEventsName = (stack: Stack): string => `${stack.stackName}-failed-events`;

export const failedEventsArn = (stack: Stack): string =>
  stack.formatArn({ service: "sqs", resource: failedEventsName(stack) });

export const reconcilerScheduleName = "reconciler";
export const sweepScheduleName = "sweep";
export const recountScheduleName = "statistics-recount";

/** Schedules that functions make, by what their names match. */
export const scheduleArns = (stack: Stack, patterns: readonly string[]): string[] =>
  patterns.map((names) =>
    stack.formatArn({
      service: "scheduler",
      resource: "schedule",
      resourceName: `${scheduleGroupName(stack)}/${names}`,
    }),
  );

/** Of the reconciler's two schedules, the one of that name. */
export const reconcilerScheduleArn = (stack: Stack, name: string): string =>
  stack.formatArn({
    service: "scheduler",
    resource: "schedule",
    resourceName: `${scheduleGroupName(stack)}/${name}`,
  });

/** Of a secret by its name: AWS adds six characters that are not known in advance. */
export const secretArn = (stack: Stack, name: string): string =>
  stack.formatArn({
    service: "secretsmanager",
    resource: "secret",
    resourceName: `${name}-??????`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

/** Of a repository in ECR in any region, because registries are named while Slipway runs. */
export const repositoryArn = (stack: Stack, name: string): string =>
  stack.formatArn({ service: "ecr", region: "*", resource: "repository", resourceName: name });
