import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { awsRegion, keptWithConfig } from "../../settings/config.ts";
import type { Functions } from "../adapters.ts";

const lambda = keptWithConfig(() => new LambdaClient(awsRegion()));

export const invoke: Functions["invoke"] = async (FunctionName, payload) => {
  const answer = await lambda().send(new InvokeCommand({ FunctionName, Payload: bytesOf(payload) }));
  return { failed: answer.FunctionError !== undefined, answer: new TextDecoder().decode(answer.Payload) || "null" };
};

export const invokeLater: Functions["invokeLater"] = async (FunctionName, payload) => {
  await lambda().send(new InvokeCommand({ FunctionName, InvocationType: "Event", Payload: bytesOf(payload) }));
};

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
