import { DatabaseSync } from "node:sqlite";

/** What survives the process: every object as JSON under its key, and the highest revision ever given. */
export interface Journal {
  /** All objects as they were last written. */
  objects: string[];
  revision: number;
  put(key: string, revision: number, body: string): void;
  remove(key: string, revision: number): void;
  close(): void;
}

/**
 * Opens or creates the file. Each write is a transaction of its own in a write-ahead log, so a process killed at any
 * moment loses nothing it answered for; the operating system's crash is not guarded against (no fsync).
 */
export function openJournal(path: string): Journal {
  const db = new DatabaseSync(path);
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = OFF;
    CREATE TABLE IF NOT EXISTS object (key TEXT PRIMARY KEY, revision INTEGER NOT NULL, body TEXT) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS revision ON object (revision);
  `);
  // A removed object leaves its revision behind once: only the newest such mark matters.
  db.exec("DELETE FROM object WHERE body IS NULL AND revision < (SELECT max(revision) FROM object)");
  const rows = db.prepare("SELECT body FROM object WHERE body IS NOT NULL ORDER BY revision").all();
  const last = db.prepare("SELECT coalesce(max(revision), 0) AS revision FROM object").get();
  const upsert = db.prepare("INSERT OR REPLACE INTO object (key, revision, body) VALUES (?, ?, ?)");
  return {
    objects: rows.map((row) => String(row.body)),
    revision: Number(last?.revision ?? 0),
    put: (key, revision, body) => void upsert.run(key, revision, body),
    remove: (key, revision) => void upsert.run(key, revision, null),
    close: () => db.close(),
  };
}
