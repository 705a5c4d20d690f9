import { InvokeCommand } from "@aws-sdk/client-lambda";
import { config } from "../../settings/config.ts";
import { lambda } from "./lambda.ts";

/** Runs a function and waits for its answer. @throws Error with the function's own words when it fails */
export async function invokeNow(name: string, event: unknown): Promise<unknown> {
  const { FunctionError: failed, Payload: payload } = await lambda().send(
    new InvokeCommand({
      FunctionName: config().SLIPWAY_FUNCTION_PREFIX + name,
      Payload: new TextEncoder().encode(JSON.stringify(event)),
    }),
  );
  const answer: unknown = payload === undefined ? undefined : JSON.parse(new TextDecoder().decode(payload) || "null");
  if (failed !== undefined) throw new Error(`function ${name} failed: ${JSON.stringify(answer)}`);
  return answer;
}
