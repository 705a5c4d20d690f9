import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { StateMachine } from "aws-cdk-lib/aws-stepfunctions";
import type { Api } from "./api/api.ts";
import type { WorkerName } from "./functions/workers.ts";

/** What alarms and dashboard look at. */
export interface Watched {
  api: Api;
  table: TableV2;
  environmentChange: StateMachine;
  groups: Readonly<Record<string, IFunction>>;
  workers: Readonly<Record<WorkerName, IFunction>>;
}
