import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import { config } from "../../shared/settings/config.ts";
import type { Key } from "../../shared/store/keys.ts";

export type RawItem = Key & Record<string, unknown>;

/** The table as somebody sees and changes it who does not go through the store. */
export interface RawItems {
  get(key: Key): Promise<RawItem | undefined>;
  put(item: RawItem): Promise<void>;
  remove(key: Key): Promise<void>;
  all(): Promise<RawItem[]>;
  close(): void;
}

/** @throws Error when no engine runs */
export function rawItems(): RawItems {
  const { SLIPWAY_TABLE: TableName, SLIPWAY_DYNAMODB_ENDPOINT: endpoint } = config();
  if (endpoint === undefined) throw new Error("the engine of the table is not running");
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = new DynamoDBClient({ endpoint, region: "us-east-1", credentials });
  const documents = DynamoDBDocumentClient.from(client);
  return {
    get: async ({ pk, sk }) =>
      (await documents.send(new GetCommand({ TableName, Key: { pk, sk }, ConsistentRead: true }))).Item as
        | RawItem
        | undefined,
    put: async (Item) => void (await documents.send(new PutCommand({ TableName, Item }))),
    remove: async ({ pk, sk }) => void (await documents.send(new DeleteCommand({ TableName, Key: { pk, sk } }))),
    all: async () => {
      const items: RawItem[] = [];
      for await (const page of paginateScan({ client: documents }, { TableName, ConsistentRead: true }))
        items.push(...((page.Items ?? []) as RawItem[]));
      return items;
    },
    close: () => client.destroy(),
  };
}
