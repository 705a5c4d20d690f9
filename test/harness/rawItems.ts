import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";
import { currentEngine } from "../../infra/local/table/startTable.ts";
import { config } from "../../shared/base/settings/config.ts";
import type { Key } from "../../shared/base/store/keys/keys.ts";
import { table } from "../../shared/base/store/table.ts";

export type RawItem = Key & Record<string, unknown>;

/** The table as somebody sees and changes it who does not go through repositories. */
export interface RawItems {
  get(key: Key): Promise<RawItem | undefined>;
  put(item: RawItem): Promise<void>;
  remove(key: Key): Promise<void>;
  all(): Promise<RawItem[]>;
}

export const rawItems: RawItems = {
  get: ({ pk, sk }) => table().get<RawItem>({ pk, sk }),
  put: (item) => table().write({ kind: "put", item }),
  remove: ({ pk, sk }) => table().write({ kind: "remove", key: { pk, sk } }),
  all: async () => {
    const engine = currentEngine();
    return engine === undefined ? scanned() : ([...engine.scan()] as RawItem[]);
  },
};

/** Every item of the table at SLIPWAY_DYNAMODB_ENDPOINT. */
async function scanned(): Promise<RawItem[]> {
  const { SLIPWAY_TABLE: TableName, SLIPWAY_DYNAMODB_ENDPOINT: endpoint } = config();
  if (endpoint === undefined) throw new Error("no table is open");
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = new DynamoDBClient({ endpoint, region: "us-east-1", credentials });
  const items: RawItem[] = [];
  const documents = DynamoDBDocumentClient.from(client);
  for await (const page of paginateScan({ client: documents }, { TableName, ConsistentRead: true }))
    items.push(...((page.Items ?? []) as RawItem[]));
  client.destroy();
  return items;
}
