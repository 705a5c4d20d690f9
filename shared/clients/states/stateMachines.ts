import {
  ExecutionAlreadyExists,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  TaskDoesNotExist,
  TaskTimedOut,
} from "@aws-sdk/client-sfn";
import { awsClientOptions } from "../../config.ts";

let client: SFNClient | undefined;

function sfn(): SFNClient {
  client ??= new SFNClient(awsClientOptions());
  return client;
}

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
