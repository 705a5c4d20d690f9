import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
  TaskDoesNotExist,
  TaskTimedOut,
} from "@aws-sdk/client-sfn";
import { awsClientOptions, keptWithConfig } from "../../settings/config.ts";

const sfn = keptWithConfig(() => new SFNClient(awsClientOptions()));

/**
 * Starts an execution under a name that is used once (decisions 7.1). Starting the same name again is not an error:
 * that is how a caller that died half way, and its repetition, start exactly one execution.
 */
export async function startExecution(stateMachineArn: string, name: string, input: unknown): Promise<void> {
  try {
    await sfn().send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }));
  } catch (error) {
    if (!(error instanceof ExecutionAlreadyExists)) throw error;
  }
}

/** Status of an execution by its name; undefined when there is none. */
export async function executionStatus(stateMachineArn: string, name: string): Promise<string | undefined> {
  const executionArn = `${stateMachineArn.replace(":stateMachine:", ":execution:")}:${name}`;
  try {
    return (await sfn().send(new DescribeExecutionCommand({ executionArn }))).status;
  } catch (error) {
    if (error instanceof ExecutionDoesNotExist) return undefined;
    throw error;
  }
}

/** Ends an execution that was superseded; harmless when it is over or never began. */
export async function stopExecution(stateMachineArn: string, name: string, cause: string): Promise<void> {
  const executionArn = `${stateMachineArn.replace(":stateMachine:", ":execution:")}:${name}`;
  try {
    await sfn().send(new StopExecutionCommand({ executionArn, cause }));
  } catch (error) {
    if (!(error instanceof ExecutionDoesNotExist)) throw error;
  }
}

/**
 * Ends a wait. @returns false when nobody waits on the token any more: it was settled, timed out, or its execution
 * was replaced by a newer attempt.
 */
export async function settleTask(taskToken: string, output: unknown): Promise<boolean> {
  try {
    await sfn().send(new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(output) }));
    return true;
  } catch (error) {
    if (error instanceof TaskDoesNotExist || error instanceof TaskTimedOut) return false;
    throw error;
  }
}
