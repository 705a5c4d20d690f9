import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { Attributes, IndexName, Page, Refused, Search, TableEngine } from "../../../shared/base/store/engine.ts";
import { entrySize, itemSize } from "../../../shared/base/store/itemSize.ts";
import type { Key } from "../../../shared/base/store/keys/keys.ts";
import { keyOf, refuseSize } from "../../../shared/base/store/refusals.ts";
import { tableDefinition } from "../../../shared/base/store/tableDefinition.ts";
import type { Update, Write } from "../../../shared/base/store/writes.ts";
import { applyChanges } from "./applyChanges.ts";
import { conditionHolds } from "./conditionHolds.ts";
import { fromItemText, toItemText } from "./itemText.ts";
import { indexTable, searchSql } from "./searchSql.ts";

const { indexes, ttlAttribute } = tableDefinition;

/** Units are counted in blocks; what a transaction writes costs twice. */
const readBlockBytes = 4096;
const writeBlockBytes = 1024;
const maxPageBytes = 1024 * 1024;

/** How long another process or thread may hold the file before a transaction counts as contended. */
const busyMilliseconds = 5000;

/** Expired items that one transaction removes. */
const expiredAtOnce = 200;

interface Row {
  text: string;
  marked: number;
  size: number;
}

interface EntryRow {
  indexPk: string;
  indexSk: string;
  pk: string;
  sk: string;
  text: string | null;
  marked: number;
  size: number;
}

/** One transaction that waits for its turn. */
interface Waiting {
  writes: readonly Write[];
  settle(outcome: Outcome): void;
  fail(error: unknown): void;
}

type Outcome = { units: number; items: readonly (Attributes | undefined)[] } | Refused;

export interface SqliteOptions {
  /** For tests: entries of indexes appear up to so many milliseconds late, as in DynamoDB. */
  lateIndexMilliseconds?: number;
  /** For tests: commits do not wait for the disk. They survive the end of the process, and not that of the machine. */
  hasNoFsync?: boolean;
}

/**
 * The table in a file of SQLite (WAL, `synchronous=FULL`), which threads and processes open side by side. Transactions that
 * are asked for at the same moment share one commit, and are answered after it.
 */
export class SqliteEngine implements TableEngine {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #lateMilliseconds: number;
  #waiting: Waiting[] = [];
  #late: { at: number; sql: string; values: SQLInputValue[] }[] = [];
  #lateTimer: NodeJS.Timeout | undefined;

  constructor(file: string, options: SqliteOptions = {}) {
    this.#lateMilliseconds = options.lateIndexMilliseconds ?? 0;
    this.#database = new DatabaseSync(file, { timeout: busyMilliseconds });
    this.#database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${options.hasNoFsync === true ? "OFF" : "FULL"};`,
    );
    this.#database.exec(schema);
  }

  async get({ pk, sk }: Key, consistent: boolean) {
    const row = this.#row(pk, sk);
    return { item: row && itemOf(row), units: readUnits(row?.size ?? 0, consistent) };
  }

  async getBatch(keys: readonly Key[], consistent: boolean) {
    const rows = this.#readTogether(() => keys.map(({ pk, sk }) => this.#row(pk, sk))).filter(
      (row) => row !== undefined,
    );
    return {
      items: rows.map(itemOf),
      pending: [],
      units: rows.reduce((sum, { size }) => sum + readUnits(size, consistent), 0),
    };
  }

  async queryPage(search: Search, from: Attributes | undefined): Promise<Page> {
    this.#applyLate(performance.now());
    const { sql, values } = searchSql(search, from);
    const items: Attributes[] = [];
    let bytes = 0;
    let isFull = false;
    for (const row of this.#prepared(sql).iterate(...values) as Iterable<unknown>) {
      // A page that the last item fills has no next one.
      isFull = bytes > maxPageBytes;
      if (isFull) break;
      items.push(search.index === undefined ? itemOf(row as Row) : entryOf(search.index, row as EntryRow));
      bytes += (row as Row).size;
    }
    const last = items.at(-1);
    const isCut = isFull || items.length === search.limit;
    const units = items.length === 0 ? 0 : readUnits(bytes, search.consistent);
    return { items, units, ...(isCut && last !== undefined && { next: last }) };
  }

  async transact(writes: readonly Write[]) {
    return this.#commit(writes);
  }

  async update(write: Update, answersItem: boolean) {
    const outcome = await this.#commit([write]);
    if (!("units" in outcome)) return outcome;
    return { item: answersItem ? outcome.items[0] : undefined, units: outcome.units / 2 };
  }

  /** Removes items whose time has passed, as DynamoDB does some time after it. @returns how many */
  async removeExpired(nowSeconds: number): Promise<number> {
    for (let removed = 0; ; ) {
      const rows = this.#prepared("SELECT pk, sk FROM items WHERE ttl < ? LIMIT ?").all(nowSeconds, expiredAtOnce);
      const isOver = { kind: "less", path: ttlAttribute, value: nowSeconds } as const;
      await Promise.all(
        (rows as unknown as Key[]).map((key) => this.#commit([{ kind: "remove", key, condition: isOver }])),
      );
      removed += rows.length;
      if (rows.length < expiredAtOnce) return removed;
    }
  }

  /** Every item, in the order of its keys. */
  *scan(): Generator<Attributes> {
    for (const row of this.#database.prepare("SELECT * FROM items ORDER BY pk, sk").iterate())
      yield itemOf(row as unknown as Row);
  }

  close(): void {
    this.#flush();
    clearTimeout(this.#lateTimer);
    this.#applyLate(Number.POSITIVE_INFINITY);
    this.#statements.clear();
    this.#database.close();
  }

  #commit(writes: readonly Write[]): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    if (this.#waiting.length === 0) setImmediate(() => this.#flush());
    // What is asked for now is written, whatever becomes of the caller's objects until then.
    this.#waiting.push({ writes: structuredClone(writes), settle: resolve, fail: reject });
    return promise;
  }

  #flush(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    const answers: (() => void)[] = [];
    try {
      this.#database.exec("BEGIN IMMEDIATE");
      for (const { writes, settle, fail } of waiting) {
        const outcome = this.#attempt(writes);
        answers.push(outcome instanceof Error ? () => fail(outcome) : () => settle(outcome));
      }
      this.#database.exec("COMMIT");
    } catch (error) {
      if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec("ROLLBACK");
      this.#late = this.#late.filter(({ at }) => at !== uncommitted);
      for (const { settle, fail } of waiting) {
        if (isBusy(error)) settle({ contended: true });
        else fail(error);
      }
      return;
    }
    this.#scheduleLate();
    for (const answer of answers) answer();
  }

  /** Decides every write before the first one is made, so that nothing is left of a transaction that is refused. */
  #attempt(writes: readonly Write[]): Outcome | Error {
    const rows = writes.map((write) => {
      const { pk, sk } = keyOf(write);
      return this.#row(pk, sk);
    });
    const before = rows.map((row) => row && itemOf(row));
    const failed: number[] = [];
    const changed: Changed[] = [];
    try {
      for (const [at, write] of writes.entries()) {
        const { condition } = write;
        if (condition !== undefined && !conditionHolds(condition, before[at])) failed.push(at);
        else changed.push(changedItem(write, before[at], rows[at]?.size ?? 0));
      }
    } catch (error) {
      return error as Error;
    }
    if (failed.length > 0) return { failed };
    let units = 0;
    for (const [at, { after, size }] of changed.entries()) {
      units += 2 * blocks(Math.max(size, rows[at]?.size ?? 0), writeBlockBytes);
      if (writes[at]?.kind !== "check") units += this.#store(before[at], after, size);
    }
    return { units, items: changed.map(({ after }) => after) };
  }

  /** @returns units of the indexes */
  #store(before: Attributes | undefined, after: Attributes | undefined, size: number): number {
    const { pk, sk } = (after ?? before ?? {}) as Partial<Key>;
    if (pk === undefined || sk === undefined) return 0;
    if (after === undefined) this.#prepared("DELETE FROM items WHERE pk = ? AND sk = ?").run(pk, sk);
    else {
      const { text, isMarked } = toItemText(after);
      const ttl = typeof after[ttlAttribute] === "number" ? after[ttlAttribute] : null;
      this.#prepared("INSERT OR REPLACE INTO items (pk, sk, text, marked, size, ttl) VALUES (?, ?, ?, ?, ?, ?)").run(
        ...[pk, sk, text, Number(isMarked), size, ttl],
      );
    }
    return indexes.reduce((units, index) => units + this.#storeEntry(index, before, after), 0);
  }

  #storeEntry(index: Index, before: Attributes | undefined, after: Attributes | undefined): number {
    const [old, entry] = [before, after].map((item) => item && entryValues(index, item));
    if (old === undefined && entry === undefined) return 0;
    if (old !== undefined && entry !== undefined && old.every((value, at) => value === entry[at])) return 0;
    const isMoved =
      old !== undefined && (entry === undefined || old.some((value, at) => at < 4 && value !== entry[at]));
    if (isMoved) this.#index(removeEntry(index), old.slice(0, 4));
    if (entry !== undefined) this.#index(putEntry(index), entry);
    const sizes = [old, entry].flatMap((one) => (one === undefined ? [] : [Number(one[6])]));
    const unitsOf = (bytes: number) => blocks(bytes, writeBlockBytes);
    return isMoved ? sizes.reduce((sum, bytes) => sum + unitsOf(bytes), 0) : unitsOf(Math.max(...sizes));
  }

  #index(sql: string, values: SQLInputValue[]): void {
    if (this.#lateMilliseconds === 0) this.#prepared(sql).run(...values);
    else this.#late.push({ at: uncommitted, sql, values });
  }

  /** Entries of one item never overtake each other. */
  #scheduleLate(): void {
    if (this.#late.length === 0) return;
    const at = performance.now() + Math.random() * this.#lateMilliseconds;
    const last = this.#late.findLast((entry) => entry.at !== uncommitted)?.at ?? 0;
    for (const entry of this.#late) if (entry.at === uncommitted) entry.at = Math.max(at, last);
    clearTimeout(this.#lateTimer);
    this.#lateTimer = setTimeout(() => this.#applyLate(performance.now()), this.#lateMilliseconds + 1).unref();
  }

  #applyLate(now: number): void {
    const due = this.#late.filter(({ at }) => at <= now);
    if (due.length === 0) return;
    this.#late = this.#late.filter(({ at }) => at > now);
    for (const { sql, values } of due) this.#prepared(sql).run(...values);
  }

  #row(pk: string, sk: string): Row | undefined {
    return this.#prepared("SELECT text, marked, size FROM items WHERE pk = ? AND sk = ?").get(pk, sk) as
      | Row
      | undefined;
  }

  /** Reads of one transaction lock the file once; each by itself would lock it and let it go. */
  #readTogether<T>(read: () => T): T {
    this.#prepared("BEGIN").run();
    try {
      return read();
    } finally {
      this.#prepared("COMMIT").run();
    }
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** The time of entries whose transaction is not committed yet. */
const uncommitted = Number.POSITIVE_INFINITY;

type Index = (typeof indexes)[number];

interface Changed {
  after: Attributes | undefined;
  size: number;
}

/** @throws Error when the item would be larger than DynamoDB takes, or an update does not fit what is there */
function changedItem(write: Write, before: Attributes | undefined, sizeBefore: number): Changed {
  switch (write.kind) {
    case "check":
      return { after: before, size: sizeBefore };
    case "remove":
      return { after: undefined, size: 0 };
    case "put":
      return { after: write.item, size: itemSize(write.item) };
    case "update": {
      const after = applyChanges(before, write.key, write.changes);
      const size = itemSize(after);
      refuseSize(size);
      return { after, size };
    }
  }
}

function itemOf({ text, marked }: Row): Attributes {
  return fromItemText({ text, isMarked: marked === 1 });
}

function entryOf(name: IndexName, { indexPk, indexSk, pk, sk, text, marked }: EntryRow): Attributes {
  const index = indexes.find((one) => one.name === name) as Index;
  const held = text === null ? {} : fromItemText({ text, isMarked: marked === 1 });
  return { pk, sk, [index.partitionKey]: indexPk, [index.sortKey]: indexSk, ...held };
}

/** Of an item that has both keys of the index: keys, held attributes and bytes, as columns. */
function entryValues(index: Index, item: Attributes): SQLInputValue[] | undefined {
  const [indexPk, indexSk] = [item[index.partitionKey], item[index.sortKey]];
  if (typeof indexPk !== "string" || typeof indexSk !== "string") return undefined;
  const held = index.attributes.filter((name) => item[name] !== undefined);
  const { text, isMarked } =
    held.length === 0
      ? { text: null, isMarked: false }
      : toItemText(Object.fromEntries(held.map((name) => [name, item[name]])));
  return [indexPk, indexSk, String(item.pk), String(item.sk), text, Number(isMarked), entrySize(item, index)];
}

const removeEntry = (index: Index) =>
  `DELETE FROM ${indexTable(index)} WHERE indexPk = ? AND indexSk = ? AND pk = ? AND sk = ?`;

const putEntry = (index: Index) =>
  `INSERT OR REPLACE INTO ${indexTable(index)} (indexPk, indexSk, pk, sk, text, marked, size) VALUES (?, ?, ?, ?, ?, ?, ?)`;

const schema = `
  CREATE TABLE IF NOT EXISTS items (
    pk TEXT NOT NULL, sk TEXT NOT NULL, text TEXT NOT NULL, marked INTEGER NOT NULL, size INTEGER NOT NULL, ttl REAL,
    PRIMARY KEY (pk, sk)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS expiring ON items (ttl) WHERE ttl IS NOT NULL;
  ${indexes
    .map(
      (index) => `CREATE TABLE IF NOT EXISTS ${indexTable(index)} (
    indexPk TEXT NOT NULL, indexSk TEXT NOT NULL, pk TEXT NOT NULL, sk TEXT NOT NULL,
    text TEXT, marked INTEGER NOT NULL, size INTEGER NOT NULL,
    PRIMARY KEY (indexPk, indexSk, pk, sk)
  ) STRICT, WITHOUT ROWID;`,
    )
    .join("\n")}`;

function readUnits(bytes: number, consistent: boolean): number {
  return Math.max(1, blocks(bytes, readBlockBytes)) * (consistent ? 1 : 0.5);
}

function blocks(bytes: number, size: number): number {
  return Math.max(1, Math.ceil(bytes / size));
}

/** SQLite's primary result code for a file that another connection holds: https://www.sqlite.org/rescode.html */
const busy = 5;

function isBusy(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  return errcode !== undefined && (errcode & 0xff) === busy;
}
