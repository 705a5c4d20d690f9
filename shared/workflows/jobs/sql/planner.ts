import * as z from "zod";
import { ApiError } from "../../../base/errors/apiError.ts";
import { dialectOf } from "../../../integrations/rules/databaseTypes.ts";
import { databases } from "../../../integrations/store/databases.ts";
import { text } from "../../definition/wireFields.ts";
import { plannedIntegration } from "../outside/plannedIntegration.ts";
import type { JobPlanner } from "../planner.ts";
import { readInputs, readSpec } from "../readSpec.ts";
import { kind as sql } from "./kind.ts";

export const databaseSort = { noun: "database", records: databases };

/** What the runner needs to run statements. */
export interface SqlRun {
  databaseId: string;
  sql: string;
}

/** What a start says (contract W 3). */
const parameters = z.looseObject({ database_name: text, sql: text });

/** Statements of a database: one job task. */
export const planner: JobPlanner = {
  select: async (job, given) => {
    const { database_name, sql: statements } = readInputs(parameters, given, job);
    const named = database_name ? await databases.findByName(database_name) : undefined;
    if (database_name && named === undefined)
      throw new ApiError(
        6160,
        `inputs of job ${job.name}: database_name is ${database_name}, and there is no such database`,
      );
    return {
      ...job.spec,
      ...(named && { id: named.id, type: named.shown.type }),
      ...(statements && { sql: statements }),
    };
  },
  expand: async (job, { project }) => {
    const { id, type, sql: statements } = readSpec(sql, job);
    if (!id) throw new ApiError(6160, `job ${job.name} names no database: set id, or database_name in its inputs`);
    if (!statements?.trim()) throw new ApiError(6160, `job ${job.name} has no statements: set sql`);
    const { shown } = await plannedIntegration(databaseSort, {
      job: job.name,
      field: "id",
      id,
      projectKey: project.key,
    });
    if (type && dialectOf(type) !== dialectOf(shown.type))
      throw new ApiError(6160, `job ${job.name}: type is ${type}, and the database ${shown.name} is ${shown.type}`);
    const run: SqlRun = { databaseId: id, sql: statements };
    return [
      { parts: [], spec: { id, type: shown.type, sql: statements, results: [] }, run: { ...run }, timeoutMinutes: 0 },
    ];
  },
};
