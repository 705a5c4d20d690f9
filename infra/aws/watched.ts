import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { Api } from "./api/api.ts";
import type { Machines } from "./engine/machines.ts";
import type { WorkerName } from "./functions/workers.ts";

/** What alarms and dashboard look at. */
export interface Watched {
  api: Api;
  table: TableV2;
  machines: Machines;
  groups: Readonly<Record<string, IFunction>>;
  workers: Readonly<Record<WorkerName, IFunction>>;
}
