import * as z from "zod";
import { databaseTypes } from "../../../integrations/rules/databaseTypes.ts";
import type { JobKind } from "../../definition/jobKind.ts";
import { text } from "../../definition/wireFields.ts";

/** Statements of a database, in order and in one transaction; a start may bring the database and the statements. */
export const kind = {
  type: "sql",
  words: ["SQL", "SQL 数据变更"],
  schema: z.looseObject({
    id: text,
    type: z.enum(["", ...databaseTypes], `must be one of ${databaseTypes.join(", ")}`).nullish(),
    sql: text,
    source: text,
  }),
  uses: { kind: "database", field: "id" },
  tells: true,
} as const satisfies JobKind;
