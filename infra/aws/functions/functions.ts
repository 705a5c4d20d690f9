import type { Construct } from "constructs";
import { type Group, groups } from "../../../functions/api/groups.ts";
import { groupRights } from "./groupRights.ts";
import type { Rights } from "./rights.ts";
import { type FunctionDefinition, SlipwayFunction } from "./slipwayFunction.ts";
import { type WorkerName, workers } from "./workers.ts";

/** A group's Lambda function. API Gateway waits 29 seconds at most, so the function does not work longer than that. */
export function groupFunction(group: Group): FunctionDefinition {
  return {
    name: group.name,
    entry: `functions/api/${group.name}/handler.ts`,
    description: `Endpoints under ${group.prefixes.join(", ")}`,
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
    rights: ["table", ...(groupRights[group.name] ?? [])],
  };
}

/** One function for each endpoint group, by the group's name. */
export function apiFunctions(scope: Construct, rights: Rights): Readonly<Record<string, SlipwayFunction>> {
  return Object.fromEntries(
    groups.map((group) => [group.name, new SlipwayFunction(scope, groupFunction(group), rights)]),
  );
}

/** One function for each worker, by the worker's name. */
export function workerFunctions(scope: Construct, rights: Rights): Readonly<Record<WorkerName, SlipwayFunction>> {
  const made = Object.values(workers).map((worker) => [worker.name, new SlipwayFunction(scope, worker, rights)]);
  return Object.fromEntries(made) as Record<WorkerName, SlipwayFunction>;
}
