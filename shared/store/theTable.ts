import { config } from "../config.ts";
import { Table } from "./table.ts";

let current: { key: string; table: Table } | undefined;

/** The table of this installation; one client a process. */
export function table(): Table {
  const { SLIPWAY_TABLE: tableName, SLIPWAY_DYNAMODB_ENDPOINT: endpoint, AWS_REGION: region } = config();
  const key = `${endpoint ?? ""}#${tableName}`;
  if (current?.key !== key) {
    current = { key, table: new Table({ tableName, region, ...(endpoint === undefined ? {} : { endpoint }) }) };
  }
  return current.table;
}
