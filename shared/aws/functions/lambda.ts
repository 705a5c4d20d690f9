import { LambdaClient } from "@aws-sdk/client-lambda";
import { awsClientOptions, keptWithConfig } from "../../settings/config.ts";

export const lambda = keptWithConfig(() => new LambdaClient(awsClientOptions()));
