import { DatabaseSync } from "node:sqlite";
import { parseExactJson } from "../../../../shared/base/common/exactJson.ts";
import type { KubeObject } from "../model/object.ts";

export interface Change {
  type: "ADDED" | "MODIFIED" | "DELETED";
  revision: number;
  object: KubeObject;
  /** The object before the change; absent when it was added. */
  previous: KubeObject | undefined;
}

export type Listener = (change: Change) => void;

/** How many changes per resource a watch can look back; older revisions are answered 410. */
const historyLimit = 1_024;

/**
 * All objects in memory, each write in the journal before it is visible, changes kept for watches. `resource` is the
 * qualified plural (`deployments.apps`); cluster-scoped objects have the namespace "".
 */
export class Store {
  revision: number;
  readonly #journal: Journal;
  readonly #tables = new Map<string, Table>();
  readonly #dependents = new Map<string, Map<string, { resource: string; object: KubeObject }>>();
  readonly #all = new Set<(resource: string, change: Change) => void>();

  constructor(path: string) {
    this.#journal = openJournal(path);
    this.revision = this.#journal.revision;
    for (const body of this.#journal.objects) {
      const { resource, object } = parseExactJson(body) as { resource: string; object: KubeObject };
      const table = this.#table(resource);
      table.set(object);
      this.#index(resource, undefined, object);
    }
    for (const table of this.#tables.values()) table.oldest = this.revision;
    this.startRevision = this.revision;
  }

  /** Changes before this revision are not remembered: they happened in an earlier process. */
  readonly startRevision: number;

  get(resource: string, namespace: string, name: string): KubeObject | undefined {
    return this.#table(resource).namespaces.get(namespace)?.get(name);
  }

  /** Objects in key order; of one namespace, or of all when it is undefined. */
  list(resource: string, namespace?: string): KubeObject[] {
    return this.#table(resource).list(namespace);
  }

  /** The resources that hold at least one object in the namespace. */
  resourcesIn(namespace: string): string[] {
    return [...this.#tables].filter(([, t]) => (t.namespaces.get(namespace)?.size ?? 0) > 0).map(([name]) => name);
  }

  /** Objects whose ownerReferences name the uid. */
  dependents(uid: string): { resource: string; object: KubeObject }[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])];
  }

  /** Writes the object under a new revision and returns it as stored. */
  put(resource: string, object: KubeObject): KubeObject {
    const table = this.#table(resource);
    const revision = ++this.revision;
    const stored: KubeObject = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    const previous = table.get(stored);
    this.#journal.put(
      this.#key(resource, stored),
      revision,
      `{"resource":"${resource}","object":${serialize(stored)}}`,
    );
    table.set(stored);
    this.#index(resource, previous, stored);
    this.#emit(resource, table, { type: previous ? "MODIFIED" : "ADDED", revision, object: stored, previous });
    if (previous !== undefined) texts.delete(previous);
    return stored;
  }

  /** Removes the object; watches see its last state under a new revision. */
  remove(resource: string, object: KubeObject): void {
    const table = this.#table(resource);
    const previous = table.get(object);
    if (!previous) return;
    const revision = ++this.revision;
    this.#journal.remove(this.#key(resource, object), revision);
    table.delete(object);
    this.#index(resource, previous, undefined);
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    this.#emit(resource, table, { type: "DELETED", revision, object: last, previous });
  }

  /** Changes after a revision, or undefined when they are no longer (or never were) remembered. */
  since(resource: string, revision: number): Change[] | undefined {
    const table = this.#table(resource);
    if (revision < table.oldest || revision < this.startRevision) return undefined;
    return table.history.filter((change) => change.revision > revision);
  }

  /** Calls the listener with every later change of the resource; returns the way to stop it. */
  subscribe(resource: string, listener: Listener): () => void {
    const table = this.#table(resource);
    table.listeners.add(listener);
    return () => table.listeners.delete(listener);
  }

  /** Like `subscribe`, for all resources. */
  subscribeAll(listener: (resource: string, change: Change) => void): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  /** The names of all resources that ever held an object. */
  resources(): string[] {
    return [...this.#tables.keys()];
  }

  close(): void {
    this.#journal.close();
  }

  #table(resource: string): Table {
    let table = this.#tables.get(resource);
    if (!table) {
      table = new Table();
      this.#tables.set(resource, table);
    }
    return table;
  }

  #key(resource: string, object: KubeObject): string {
    return `${resource}/${object.metadata.namespace ?? ""}/${object.metadata.name}`;
  }

  #emit(resource: string, table: Table, change: Change): void {
    table.remember(change);
    for (const listener of [...table.listeners]) listener(change);
    for (const listener of [...this.#all]) listener(resource, change);
  }

  #index(resource: string, previous: KubeObject | undefined, next: KubeObject | undefined): void {
    const key = this.#key(resource, (next ?? previous) as KubeObject);
    for (const owner of previous?.metadata.ownerReferences ?? []) {
      const known = this.#dependents.get(owner.uid);
      known?.delete(key);
      if (known?.size === 0) this.#dependents.delete(owner.uid);
    }
    for (const owner of next?.metadata.ownerReferences ?? []) {
      let known = this.#dependents.get(owner.uid);
      if (!known) {
        known = new Map();
        this.#dependents.set(owner.uid, known);
      }
      known.set(key, { resource, object: next as KubeObject });
    }
  }
}

class Table {
  readonly namespaces = new Map<string, Map<string, KubeObject>>();
  readonly listeners = new Set<Listener>();
  readonly #sorted = new Map<string | undefined, KubeObject[]>();
  history: Change[] = [];
  oldest = 0;

  get(object: KubeObject): KubeObject | undefined {
    return this.namespaces.get(object.metadata.namespace ?? "")?.get(object.metadata.name);
  }

  set(object: KubeObject): void {
    const namespace = object.metadata.namespace ?? "";
    let names = this.namespaces.get(namespace);
    if (!names) {
      names = new Map();
      this.namespaces.set(namespace, names);
    }
    names.set(object.metadata.name, object);
    this.#forget(namespace);
  }

  delete(object: KubeObject): void {
    const namespace = object.metadata.namespace ?? "";
    const names = this.namespaces.get(namespace);
    names?.delete(object.metadata.name);
    if (names?.size === 0) this.namespaces.delete(namespace);
    this.#forget(namespace);
  }

  list(namespace: string | undefined): KubeObject[] {
    let result = this.#sorted.get(namespace);
    if (!result) {
      result =
        namespace === undefined
          ? [...this.namespaces.keys()].sort().flatMap((name) => this.list(name))
          : [...(this.namespaces.get(namespace)?.values() ?? [])].sort(byName);
      this.#sorted.set(namespace, result);
    }
    return result;
  }

  remember(change: Change): void {
    this.history.push(change);
    if (this.history.length < historyLimit * 2) return;
    const dropped = this.history.splice(0, historyLimit);
    this.oldest = dropped.at(-1)?.revision ?? this.oldest;
  }

  #forget(namespace: string): void {
    this.#sorted.delete(namespace);
    this.#sorted.delete(undefined);
  }
}

function byName(a: KubeObject, b: KubeObject): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

const texts = new WeakMap<KubeObject, string>();

/** The object as JSON; made once for each object, since stored objects never change in place. */
export function serialize(object: KubeObject): string {
  let text = texts.get(object);
  if (text === undefined) {
    text = JSON.stringify(object);
    texts.set(object, text);
  }
  return text;
}

/** What survives the process: every object as JSON under its key, and the highest revision ever given. */
interface Journal {
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
function openJournal(path: string): Journal {
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
