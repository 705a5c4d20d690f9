import { DeleteTableCommand, DynamoDBClient, ResourceNotFoundException } from "@aws-sdk/client-dynamodb";

/** Read before anything is started: who starts Slipway tells the rest of the process its own endpoint. */
const given = process.env.SLIPWAY_DYNAMODB_ENDPOINT;

/** Whether the tests have a DynamoDB, which functions need that run in a process of their own. */
export const hasDynamoDb = given !== undefined;

export interface GivenTable {
  tableName: string;
  /** Of the engine that all tests share; absent when each starts its own. */
  endpoint?: string;
  /** The same as settings of a start. */
  settings: Record<string, string>;
  /** Takes the table out of the shared engine. */
  remove(): Promise<void>;
}

/** The table of a data folder: in the engine of SLIPWAY_DYNAMODB_ENDPOINT under the folder's name, else in one of its own. */
export function givenTable(dataDir: string): GivenTable {
  if (given === undefined) return { tableName: "slipway", settings: {}, remove: async () => undefined };
  const tableName = dataDir.replaceAll(/[^A-Za-z0-9]/g, "-").slice(-200);
  return {
    tableName,
    endpoint: given,
    settings: { SLIPWAY_TABLE: tableName, SLIPWAY_DYNAMODB_ENDPOINT: given },
    remove: () => removeTable(given, tableName),
  };
}

async function removeTable(endpoint: string, TableName: string): Promise<void> {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = new DynamoDBClient({ endpoint, region: "us-east-1", credentials });
  try {
    await client.send(new DeleteTableCommand({ TableName }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  } finally {
    client.destroy();
  }
}
