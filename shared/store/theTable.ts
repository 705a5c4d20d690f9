import { config, keptWithConfig } from "../settings/config.ts";
import { Table } from "./table.ts";

/** The table of this installation; one client a process. */
export const table = keptWithConfig((): Table => {
  const { SLIPWAY_TABLE: tableName, SLIPWAY_DYNAMODB_ENDPOINT: endpoint, AWS_REGION: region } = config();
  return new Table({ tableName, region, ...(endpoint === undefined ? {} : { endpoint }) });
});
