import type { SqlDialect } from "./sqlStatements.ts";

/** Databases whose statements jobs run. */
export const databaseTypes = ["mysql", "mariadb", "postgresql"] as const;
export type DatabaseType = (typeof databaseTypes)[number];

export function dialectOf(type: DatabaseType): SqlDialect {
  return type === "postgresql" ? type : "mysql";
}
