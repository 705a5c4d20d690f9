import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { Api } from "./api/api.ts";

/** What alarms and dashboard look at. */
export interface Watched {
  api: Api;
  table: TableV2;
  groups: Readonly<Record<string, IFunction>>;
}
