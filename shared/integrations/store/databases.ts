import type { DatabaseType } from "../rules/databaseTypes.ts";
import { integrationStore } from "./integrationStore.ts";

/** A database whose statements workflows run. Its sealed field is `password`. */
export interface Database {
  name: string;
  type: DatabaseType;
  host: string;
  /** 1 to 65535. */
  port: number;
  username: string;
  /** The one that a connection begins in; empty: none. */
  database: string;
  /** Keys of the projects whose workflows may use it, or `<all_projects>`. */
  projects: readonly string[];
}

/** Authorities in PEM that its certificate is checked by; empty: those that everyone knows. */
export interface DatabaseTrust {
  ca: string;
}

export const databases = integrationStore<Database, DatabaseTrust>("database");
