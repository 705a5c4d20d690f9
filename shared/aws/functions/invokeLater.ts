import { InvokeCommand } from "@aws-sdk/client-lambda";
import { config } from "../../settings/config.ts";
import { lambda } from "./lambda.ts";

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
