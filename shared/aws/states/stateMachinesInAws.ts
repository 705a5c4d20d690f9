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
import { awsRegion, keptWithConfig } from "../../settings/config.ts";
import type { StateMachines } from "../adapters.ts";

const sfn = keptWithConfig(() => new SFNClient(awsRegion()));

export const start: StateMachines["start"] = async (stateMachineArn, name, input) => {
  try {
    await sfn().send(new StartExecutionCommand({ stateMachineArn, name, input }));
  } catch (error) {
    if (!(error instanceof ExecutionAlreadyExists)) throw error;
  }
};

export const status: StateMachines["status"] = async (stateMachineArn, name) => {
  try {
    return (await sfn().send(new DescribeExecutionCommand({ executionArn: arnOf(stateMachineArn, name) }))).status;
  } catch (error) {
    if (error instanceof ExecutionDoesNotExist) return undefined;
    throw error;
  }
};

export const stop: StateMachines["stop"] = async (stateMachineArn, name, cause) => {
  try {
    await sfn().send(new StopExecutionCommand({ executionArn: arnOf(stateMachineArn, name), cause }));
  } catch (error) {
    if (!(error instanceof ExecutionDoesNotExist)) throw error;
  }
};

export const settle: StateMachines["settle"] = async (taskToken, output) => {
  try {
    await sfn().send(new SendTaskSuccessCommand({ taskToken, output }));
    return true;
  } catch (error) {
    if (error instanceof TaskDoesNotExist || error instanceof TaskTimedOut) return false;
    throw error;
  }
};

function arnOf(stateMachineArn: string, name: string): string {
  return `${stateMachineArn.replace(":stateMachine:", ":execution:")}:${name}`;
}
