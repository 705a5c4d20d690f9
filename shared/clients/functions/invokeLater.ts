import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { awsClientOptions, config } from "../../config.ts";

let client: LambdaClient | undefined;

/** Starts a function and does not wait for it; Lambda repeats it twice when it fails. */
export async function invokeLater(name: string, event: unknown): Promise<void> {
  client ??= new LambdaClient(awsClientOptions());
  await client.send(
    new InvokeCommand({
      FunctionName: config().SLIPWAY_FUNCTION_PREFIX + name,
      InvocationType: "Event",
      Payload: new TextEncoder().encode(JSON.stringify(event)),
    }),
  );
}
