import * as z from "zod";
import { defineRoute, fromPath } from "../../../shared/http/route.ts";
import { message, successWithWarnings } from "../../../shared/http/schemas.ts";
import { audit, envOfBody, envOfPath, project, tag, verb } from "./routeParts.ts";
import { environmentItem, envParams, newTestEnvironment, projectQuery } from "./schemas.ts";

const base = "/api/aslan/environment/environments";
/** Routes of the console say `projectName` for the project key. */
const queryAliases = { projectKey: ["projectName"] };
const common = { tag, scope: { project }, query: z.object(projectQuery), queryAliases };
const turns = new Map([
  ["enable", "Sleep"],
  ["disable", "Wake"],
]);

/** Older paths by which callers reach test environments (decisions 19.11). */
export const olderRoutes = {
  listEnvironmentsByOlderPath: defineRoute({
    ...common,
    method: "GET",
    path: base,
    summary: "List the test environments of a project, by an older path",
    permission: { kind: "filtered" },
    response: z.array(environmentItem),
  }),
  createEnvironmentByOlderPath: defineRoute({
    ...common,
    method: "POST",
    path: base,
    summary: "Create a test environment with services, by an older path",
    permission: { kind: "verb", verbs: ["create_environment"] },
    body: newTestEnvironment,
    response: successWithWarnings,
    audit: audit("Create", "test", envOfBody),
  }),
  sleepEnvironmentByOlderPath: defineRoute({
    ...common,
    method: "POST",
    path: `${base}/:envName/sleep`,
    summary: "Put a test environment to sleep, or wake it, by an older path",
    permission: verb("manage_environment"),
    scope: { project, environment: fromPath("envName") },
    params: envParams,
    query: z.object({
      ...projectQuery,
      action: z
        .enum(["enable", "disable"], "must be enable or disable")
        .meta({ description: "`enable`: it falls asleep; `disable`: it wakes" }),
    }),
    response: message,
    audit: {
      ...audit([...turns.values()].join(", "), "test", envOfPath, { function: "Environment", body: "none" }),
      methodOf: ({ query }) => turns.get(query.action ?? ""),
    },
  }),
};
