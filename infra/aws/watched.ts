import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { Api } from "./api/api.ts";
import type { Machines } from "./engine/machines.ts";
import type { WorkerName } from "./functions/workers.ts";
import type { Stored } from "./storage/stored.ts";

/** What alarms and dashboard look at. */
export interface Watched {
  failedEvents: IQueue;
  api: Api;
  table: Stored["table"];
  machines: Machines;
  groups: Readonly<Record<string, IFunction>>;
  workers: Readonly<Record<WorkerName, IFunction>>;
}
