import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** Where the table is: of this account and region, or at an endpoint that takes any credentials. */
export interface TablePlace {
  endpoint?: string;
  region?: string;
}

/** The client of the table. Nobody reads its log, for which it would walk through every item of every answer. */
export function documentClient({ endpoint, region }: TablePlace): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    ...(endpoint === undefined ? {} : { endpoint, credentials: { accessKeyId: "local", secretAccessKey: "local" } }),
    ...(region === undefined ? {} : { region }),
  });
  client.middlewareStack.remove("loggerMiddleware");
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}
