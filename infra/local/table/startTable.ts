import { join } from "node:path";
import { removeConfig } from "../../../shared/base/settings/config.ts";
import type { TableEngine } from "../../../shared/base/store/engine.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { provideTable } from "../../../shared/base/store/table.ts";
import { TableClient } from "../../../shared/base/store/tableClient.ts";
import { SqliteEngine } from "./sqliteEngine.ts";

export interface StartedTable {
  engine: TableEngine;
  /** What is asked after it fails. */
  close(): void;
}

/** How often expired items are removed. */
const expiryMilliseconds = 600_000;

/** The file of the table in a data folder. */
export function tableFile(dataDir: string): string {
  return join(dataDir, "slipway.db");
}

/**
 * Makes `table()` of this process the one at the endpoint that is given, or that of the data folder.
 * @throws StartRefused where nothing answers at the endpoint
 */
export async function startTable(options: {
  dataDir: string;
  tableName: string;
  endpoint?: string;
}): Promise<StartedTable> {
  const { dataDir, tableName, endpoint } = options;
  if (endpoint === undefined) return openTable(dataDir);
  const { createTable } = await import("./createTable.ts");
  const { DynamoDbEngine } = await import("../../../shared/base/store/dynamodb/dynamoDbEngine.ts");
  await createTable(endpoint, tableName);
  Object.assign(process.env, { SLIPWAY_TABLE: tableName, SLIPWAY_DYNAMODB_ENDPOINT: endpoint });
  removeConfig();
  current = undefined;
  provideTable(undefined);
  return { engine: new DynamoDbEngine({ tableName, endpoint, region: "us-east-1" }), close: () => undefined };
}

let current: SqliteEngine | undefined;

/** The engine that was opened last in this process; undefined where the table is at another engine's address. */
export function currentEngine(): SqliteEngine | undefined {
  return current;
}

/** Makes `table()` of this process, or of this thread, the one in the data folder. */
export function openTable(dataDir: string): StartedTable {
  const lateIndexMilliseconds = Number(process.env.SLIPWAY_TEST_LATE_INDEXES ?? 0);
  const hasNoFsync = process.env.SLIPWAY_TEST_NO_FSYNC === "1";
  const engine = new SqliteEngine(tableFile(dataDir), { lateIndexMilliseconds, hasNoFsync });
  current = engine;
  provideTable(new TableClient(engine));
  const expiry = setInterval(() => void removeExpired(engine), expiryMilliseconds).unref();
  return {
    engine,
    close: () => {
      clearInterval(expiry);
      engine.close();
    },
  };
}

/** What cannot be removed now is there at the next time. */
async function removeExpired(engine: SqliteEngine): Promise<void> {
  await engine.removeExpired(nowSeconds()).catch(() => undefined);
}
