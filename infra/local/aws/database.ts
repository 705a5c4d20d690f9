import { mkdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS executions (
    machine TEXT NOT NULL, name TEXT NOT NULL, input TEXT NOT NULL, status TEXT NOT NULL, start_ms INTEGER NOT NULL,
    stop_ms INTEGER, output TEXT, error TEXT, cause TEXT, states_entered INTEGER NOT NULL DEFAULT 0, history TEXT,
    PRIMARY KEY (machine, name)) STRICT;
  CREATE INDEX IF NOT EXISTS executions_by_start ON executions (machine, start_ms);
  CREATE INDEX IF NOT EXISTS executions_by_stop ON executions (stop_ms);
  CREATE INDEX IF NOT EXISTS executions_by_status ON executions (status);
  CREATE TABLE IF NOT EXISTS invocations (
    id TEXT PRIMARY KEY, function TEXT NOT NULL, payload TEXT NOT NULL, failures INTEGER NOT NULL DEFAULT 0) STRICT;
  CREATE TABLE IF NOT EXISTS objects (
    bucket TEXT NOT NULL, key TEXT NOT NULL, blob TEXT NOT NULL, size_bytes INTEGER NOT NULL, etag TEXT NOT NULL,
    crc32 TEXT NOT NULL, modified_ms INTEGER NOT NULL, headers TEXT NOT NULL,
    PRIMARY KEY (bucket, key)) STRICT;
  CREATE TABLE IF NOT EXISTS schedules (
    group_name TEXT NOT NULL, name TEXT NOT NULL, definition TEXT NOT NULL, created_ms INTEGER NOT NULL,
    modified_ms INTEGER NOT NULL, due_ms INTEGER,
    PRIMARY KEY (group_name, name)) STRICT;
`;

/**
 * Opens the one database of the adapters, which a backup may read beside it. Every commit is on disk before it returns, so
 * that what was answered survives a power cut.
 * @throws Error when another program holds the folder: two must never run the same executions
 */
export function openDatabase(dataDir: string): DatabaseSync {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(path.join(dataDir, "aws.sqlite"));
  try {
    holdFolder(database, dataDir);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    database.exec(SCHEMA);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Locks a file beside it until the connection is closed, or its process killed. */
function holdFolder(database: DatabaseSync, dataDir: string): void {
  try {
    database.prepare("ATTACH DATABASE ? AS held").run(path.join(dataDir, "held.sqlite"));
    database.exec("PRAGMA held.locking_mode = EXCLUSIVE; CREATE TABLE IF NOT EXISTS held.held (one INTEGER)");
    database.exec("BEGIN EXCLUSIVE; DELETE FROM held.held; COMMIT");
  } catch (error) {
    throw new Error(`another program is using the data in ${dataDir}`, { cause: error });
  }
}

/** Runs `work` as one transaction: all of its writes, or none when it throws. */
export function transaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    // A full disk has ended the transaction already.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** The stored setting of that name; made by `make` and stored when there is none yet. */
export function setting(database: DatabaseSync, name: string, make: () => string): string {
  const row = database.prepare("SELECT value FROM settings WHERE name = ?").get(name);
  if (typeof row?.value === "string") return row.value;
  const value = make();
  database.prepare("INSERT INTO settings (name, value) VALUES (?, ?)").run(name, value);
  return value;
}
