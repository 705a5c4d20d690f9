import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  ListExecutionsCommand,
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

/** A thousand an answer. */
const mostAnswers = 10;

export const running: StateMachines["running"] = async (stateMachineArn) => {
  const names: string[] = [];
  const asked = { stateMachineArn, statusFilter: "RUNNING", maxResults: 1000 } as const;
  let nextToken: string | undefined;
  for (let answers = 0; answers < mostAnswers; answers++) {
    const page = new ListExecutionsCommand({ ...asked, ...(nextToken !== undefined && { nextToken }) });
    const answer = await sfn().send(page);
    names.push(...(answer.executions ?? []).flatMap(({ name }) => name ?? []));
    nextToken = answer.nextToken;
    if (nextToken === undefined) break;
  }
  return names;
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
