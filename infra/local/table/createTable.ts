import {
  CreateTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { tableDefinition } from "../../../shared/store/tableDefinition.ts";
import { StartRefused } from "../startRefused.ts";

/**
 * Creates the table at another engine's address, where it does not exist.
 * @throws StartRefused where nothing answers at the endpoint
 */
export async function createTable(endpoint: string, tableName: string): Promise<void> {
  const { partitionKey, sortKey, indexes, ttlAttribute } = tableDefinition;
  const keyNames = [
    ...new Set([partitionKey, sortKey, ...indexes.flatMap((index) => [index.partitionKey, index.sortKey])]),
  ];
  const schema = (pk: string, sk: string) => [
    { AttributeName: pk, KeyType: "HASH" as const },
    { AttributeName: sk, KeyType: "RANGE" as const },
  ];
  const client = new DynamoDBClient({
    endpoint,
    region: "us-east-1",
    maxAttempts: 1,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  try {
    await client.send(
      new CreateTableCommand({
        TableName: tableName,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: keyNames.map((name) => ({ AttributeName: name, AttributeType: "S" })),
        KeySchema: schema(partitionKey, sortKey),
        GlobalSecondaryIndexes: indexes.map((index) => ({
          IndexName: index.name,
          KeySchema: schema(index.partitionKey, index.sortKey),
          Projection:
            index.attributes.length === 0
              ? { ProjectionType: "KEYS_ONLY" as const }
              : { ProjectionType: "INCLUDE" as const, NonKeyAttributes: [...index.attributes] },
        })),
      }),
    );
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName: tableName,
        TimeToLiveSpecification: { AttributeName: ttlAttribute, Enabled: true },
      }),
    );
  } catch (error) {
    if (error instanceof ResourceInUseException) return;
    const { code } = error as { code?: string };
    if (code !== "ECONNREFUSED" && code !== "ENOTFOUND") throw error;
    throw new StartRefused(
      `no DynamoDB answers at ${endpoint} (${code}): start it, or unset SLIPWAY_DYNAMODB_ENDPOINT`,
    );
  } finally {
    client.destroy();
  }
}
