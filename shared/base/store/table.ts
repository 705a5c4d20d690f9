import { config, keptWithConfig } from "../settings/config.ts";
import type { TableEngine } from "./engine.ts";
import { TableClient } from "./tableClient.ts";

let provided: TableClient | undefined;

/** Makes `table()` answer this one; `undefined` makes it answer that of DynamoDB again. For the start on one machine. */
export function provideTable(given: TableClient | undefined): void {
  provided = given;
}

const inDynamoDb = keptWithConfig((): TableClient => {
  const { SLIPWAY_TABLE: tableName, SLIPWAY_DYNAMODB_ENDPOINT: endpoint, AWS_REGION: region } = config();
  const place = { tableName, region, ...(endpoint !== undefined && { endpoint }) };
  let loaded: Promise<TableEngine> | undefined;
  return new TableClient(
    loadedLater(() => {
      loaded ??= import("./dynamodb/dynamoDbEngine.ts").then(({ DynamoDbEngine }) => new DynamoDbEngine(place));
      return loaded;
    }),
  );
});

/** An engine that is loaded at the first call: a process with another table does without the SDK. */
function loadedLater(load: () => Promise<TableEngine>): TableEngine {
  return {
    get: async (...given) => (await load()).get(...given),
    getBatch: async (...given) => (await load()).getBatch(...given),
    queryPage: async (...given) => (await load()).queryPage(...given),
    transact: async (...given) => (await load()).transact(...given),
    update: async (...given) => (await load()).update(...given),
  };
}

/** The table of this installation; one client a process. */
export function table(): TableClient {
  return provided ?? inDynamoDb();
}
