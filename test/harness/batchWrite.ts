import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { BatchWriteCommand, DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { config } from "../../shared/settings/config.ts";

const itemsAtOnce = 25;
const batchesAtOnce = 8;

/** Puts many items straight into the table, for tests of what a large installation costs. Nothing is checked. */
export async function batchWrite(count: number, item: (at: number) => Record<string, unknown>): Promise<void> {
  const { SLIPWAY_TABLE: tableName, SLIPWAY_DYNAMODB_ENDPOINT: endpoint } = config();
  if (endpoint === undefined) throw new Error("the engine of the table is not running");
  const client = new DynamoDBClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  const documents = DynamoDBDocumentClient.from(client);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const from = next;
      next += itemsAtOnce;
      const items = Array.from({ length: Math.min(itemsAtOnce, count - from) }, (_, at) => item(from + at));
      const requests = items.map((Item) => ({ PutRequest: { Item } }));
      const { UnprocessedItems } = await documents.send(
        new BatchWriteCommand({ RequestItems: { [tableName]: requests } }),
      );
      if (Object.keys(UnprocessedItems ?? {}).length > 0) throw new Error("the engine left items out");
    }
  };
  await Promise.all(Array.from({ length: batchesAtOnce }, work));
  client.destroy();
}
