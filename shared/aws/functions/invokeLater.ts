import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { awsClientOptions, config, keptWithConfig } from "../../settings/config.ts";

const lambda = keptWithConfig(() => new LambdaClient(awsClientOptions()));

/** Starts a function and does not wait for it; Lambda repeats it twice when it fails. */
export async function invokeLater(name: string, event: unknown): Promise<void> {
  await lambda().send(
    new InvokeCommand({
      FunctionName: config().SLIPWAY_FUNCTION_PREFIX + name,
      InvocationType: "Event",
      Payload: new TextEncoder().encode(JSON.stringify(event)),
    }),
  );
}
