import { both, type Condition, mustHaveVersion, mustNotExist } from "./conditions.ts";
import type { Key } from "./keys/keys.ts";

/** By these a lost transaction tells its writes apart: whose record one is about, or whose unique name it takes. */
export type WriteName =
  | "administrator"
  | "base"
  | "boundary namespaces"
  | "build template name"
  | "chain end"
  | "chart template"
  | "claim"
  | "cluster name"
  | "definition"
  | "delivered service"
  | "delivery version"
  | "environment"
  | "group name"
  | "installation slot"
  | "integration name"
  | "job row"
  | "cost row"
  | "operation number"
  | "owner slot"
  | "pending operation"
  | "project"
  | "project name"
  | "pull request"
  | "registry"
  | "release plan"
  | "task"
  | "template name"
  | "token name"
  | "version name"
  | "view"
  | "workflow"
  | "workflow name";

/**
 * The name is for `ConditionFailed` alone; no engine gets it. `afterwards` is done when the write has succeeded with all of
 * its transaction; it must not throw.
 */
export type Write = { name?: WriteName; afterwards?: () => Promise<void> } & (
  | { kind: "put"; item: Key & Record<string, unknown>; condition?: Condition }
  | { kind: "update"; key: Key; changes: Changes; condition?: Condition }
  | { kind: "remove"; key: Key; condition?: Condition }
  | { kind: "check"; key: Key; condition: Condition }
);

export type Put = Extract<Write, { kind: "put" }>;
export type Update = Extract<Write, { kind: "update" }>;

/**
 * Attributes to set, to set where they are missing, to take away, numbers to add to, and sets of texts to put members into
 * or take members from. `undefined` changes nothing.
 */
export interface Changes {
  set?: Readonly<Record<string, unknown>>;
  initial?: Readonly<Record<string, unknown>>;
  unset?: readonly string[];
  add?: Readonly<Record<string, number | ReadonlySet<string>>>;
  takeFrom?: Readonly<Record<string, ReadonlySet<string>>>;
}

/** A new item: it must not exist. `version` starts at 1. */
export function create(item: Key & { type: string } & Record<string, unknown>): Write {
  return { kind: "put", item: { ...item, version: 1 }, condition: mustNotExist };
}

/**
 * Puts an item whatever is stored there: only for what has one writer, or whose repetition writes the same. In a
 * transaction a `check` beside it determines that writer.
 */
export function overwrite(item: Key & { type: string } & Record<string, unknown>): Put {
  return { kind: "put", item: { ...item, version: 1 } };
}

/** Replaces an item that was read at `version`. */
export function replace(item: Key & { type: string } & Record<string, unknown>, version: number): Write {
  return { kind: "put", item: { ...item, version: version + 1 }, condition: mustHaveVersion(version) };
}

/** A record as it was read, without what the table keeps beside its attributes. */
export function contentOf<T extends object>(record: T): Omit<T, "pk" | "sk" | "version"> {
  const { pk: _pk, sk: _sk, version: _version, ...content } = record as T & Partial<Key & { version: number }>;
  return content;
}

/** Changes attributes; the version rises by one. Without a condition an item that is missing is made. */
export function update(key: Key, changes: Changes, condition?: Condition): Update {
  const counted = { ...changes, add: { ...changes.add, version: 1 } };
  return { kind: "update", key, changes: counted, ...(condition !== undefined && { condition }) };
}

/** The write under one more condition. */
export function onlyIf<W extends Write>(condition: Condition, write: W): W {
  return { ...write, condition: write.condition === undefined ? condition : both(condition, write.condition) };
}

export function remove(key: Key, condition?: Condition): Write {
  return condition === undefined ? { kind: "remove", key } : { kind: "remove", key, condition };
}

/** Holds a condition on an item that this transaction does not change. */
export function check(key: Key, condition: Condition): Write {
  return { kind: "check", key, condition };
}

/** The write, as `ConditionFailed` names it when it loses. */
export function named<W extends Write>(name: WriteName, write: W): W {
  return { ...write, name };
}
