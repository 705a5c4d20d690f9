import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { awsClientOptions } from "../../config.ts";

let client: LambdaClient | undefined;

/** Starts a function and does not wait for it; Lambda repeats it twice when it fails. */
export async function invokeLater(functionName: string, event: unknown): Promise<void> {
  client ??= new LambdaClient(awsClientOptions());
  await client.send(
    new InvokeCommand({
      FunctionName: functionName,
      InvocationType: "Event",
      Payload: new TextEncoder().encode(JSON.stringify(event)),
    }),
  );
}
