import { DatabaseSync } from "node:sqlite";

export interface DatabaseCopy {
  from: string;
  to: string;
}

/**
 * Copies files of SQLite as they are at one moment, while others write: every file is opened for reading before the first is
 * copied, in their order. What a later one has beside an earlier one is what a kill in between would have left.
 */
export function copyDatabases(copies: readonly DatabaseCopy[]): void {
  const opened = copies.map(({ from, to }) => {
    const database = new DatabaseSync(from, { timeout: 10_000 });
    database.exec("PRAGMA foreign_keys = OFF");
    database.prepare("ATTACH DATABASE ? AS copy").run(to);
    return database;
  });
  try {
    for (const database of opened) {
      database.exec("BEGIN");
      // The first read of a transaction fixes what it sees.
      database.prepare("SELECT count(*) FROM main.sqlite_schema").get();
    }
    for (const database of opened) copyWhole(database);
  } finally {
    for (const database of opened) database.close();
  }
}

function copyWhole(database: DatabaseSync): void {
  const schema = database
    .prepare("SELECT type, name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
    .all() as unknown as { type: string; name: string; sql: string }[];
  for (const { type, name, sql } of schema) {
    if (type !== "table") continue;
    database.exec(sql.replace(/^CREATE TABLE\s+/i, "CREATE TABLE copy."));
    database.exec(`INSERT INTO copy.${quoted(name)} SELECT * FROM main.${quoted(name)}`);
  }
  // After the rows, which is quicker.
  for (const { type, sql } of schema)
    if (type === "index") database.exec(sql.replace(/^CREATE (UNIQUE )?INDEX\s+/i, "CREATE $1INDEX copy."));
  database.exec("COMMIT");
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
