import { CreateTableCommand, type DynamoDBClient, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { tableDefinition } from "../../shared/base/store/tableDefinition.ts";

/** Asks for an empty table with the keys and indexes of ours. @throws ResourceInUseException when the name is taken */
export async function createDynamoTable(client: DynamoDBClient, tableName: string): Promise<void> {
  const { partitionKey, sortKey, indexes } = tableDefinition;
  const keyNames = [
    ...new Set([partitionKey, sortKey, ...indexes.flatMap((index) => [index.partitionKey, index.sortKey])]),
  ];
  const schema = (pk: string, sk: string) => [
    { AttributeName: pk, KeyType: "HASH" as const },
    { AttributeName: sk, KeyType: "RANGE" as const },
  ];
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
}

/** Lets the table remove items when their time has come. */
export async function expireItems(client: DynamoDBClient, tableName: string): Promise<void> {
  const TimeToLiveSpecification = { AttributeName: tableDefinition.ttlAttribute, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName: tableName, TimeToLiveSpecification }));
}
