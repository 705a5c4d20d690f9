import { DynamoDBClient, ResourceInUseException } from "@aws-sdk/client-dynamodb";
import { createDynamoTable, expireItems } from "../../dynamodb/createDynamoTable.ts";
import { StartRefused } from "../startRefused.ts";

/**
 * Creates the table at another engine's address, where it does not exist.
 * @throws StartRefused where nothing answers at the endpoint
 */
export async function createTable(endpoint: string, tableName: string): Promise<void> {
  const client = new DynamoDBClient({
    endpoint,
    region: "us-east-1",
    maxAttempts: 1,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  try {
    await createDynamoTable(client, tableName);
    await expireItems(client, tableName);
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
