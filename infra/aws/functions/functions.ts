import { Alias, type AliasProps, type FunctionBase } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { type Group, groups, isStreaming } from "../../../functions/api/groups.ts";
import { readyAlias } from "../names.ts";
import type { Options } from "../options/options.ts";
import { groupRights } from "./groupRights.ts";
import type { Right } from "./rights.ts";
import { type FunctionDefinition, SlipwayFunction, type Surroundings } from "./slipwayFunction.ts";
import { type WorkerName, workers } from "./workers.ts";

/** As long as API Gateway passes a stream on, and as Lambda runs. */
export const longestStreamSeconds = 900;

/** Lambda takes no longer ones. */
const maxDescriptionCharacters = 256;

/**
 * A group's Lambda function. API Gateway waits 29 seconds at most, so the function does not work longer than that; one
 * that streams mostly waits itself, and gets less memory for it.
 */
export function groupFunction(group: Group): FunctionDefinition {
  const streams = isStreaming(group);
  return {
    name: group.name,
    entry: `functions/api/${group.name}/${streams ? "lambdaHandler" : "handler"}.ts`,
    description: `Endpoints under ${group.prefixes.join(", ")}`.slice(0, maxDescriptionCharacters),
    memoryMegabytes: streams ? 512 : 1024,
    timeoutSeconds: streams ? longestStreamSeconds : 29,
    rights: [...commonRights(group), ...(groupRights[group.name] ?? [])],
  };
}

/** Who answers asks the table who the caller is, or whether it works; the operation log of a change may leave something to the reconciler. */
function commonRights({ routes }: Group): Right[] {
  return Object.values(routes).some(({ audit }) => audit !== undefined) ? ["table", "wakeReconciler"] : ["table"];
}

/** One function for each endpoint group, by the group's name. */
export function apiFunctions(scope: Construct, surroundings: Surroundings): Readonly<Record<string, SlipwayFunction>> {
  return Object.fromEntries(
    groups.map((group) => [group.name, new SlipwayFunction(scope, groupFunction(group), surroundings)]),
  );
}

/** What API Gateway is admitted to. */
export type Callable = Pick<FunctionBase, "addPermission">;

/**
 * What API Gateway calls for each group: its function, or the version of it whose executions are kept ready.
 * @param provisioned how many of them, by the group
 */
export function calledFunctions(
  functions: Readonly<Record<string, SlipwayFunction>>,
  provisioned: Options["provisionedConcurrency"],
): Callable[] {
  return Object.entries(functions).map(([name, one]) => {
    const provisionedConcurrentExecutions = provisioned[name];
    if (provisionedConcurrentExecutions === undefined) return one;
    // CDK's own version is no version by its types where what may be undefined must be said.
    const version = one.currentVersion as AliasProps["version"];
    return new Alias(one, readyAlias, { aliasName: readyAlias, version, provisionedConcurrentExecutions });
  });
}

/** One function for each worker, by the worker's name. */
export function workerFunctions(
  scope: Construct,
  surroundings: Surroundings,
): Readonly<Record<WorkerName, SlipwayFunction>> {
  const made = Object.values(workers).map((worker) => [worker.name, new SlipwayFunction(scope, worker, surroundings)]);
  return Object.fromEntries(made) as Record<WorkerName, SlipwayFunction>;
}
