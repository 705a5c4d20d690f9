import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import type { Key } from "./keys.ts";
import { refuseAttributes, refuseExpressions, refuseRepeats } from "./refusals.ts";

type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** A condition on the stored item; the named ones below are all that repositories use. */
export interface Condition {
  expression: string;
  names?: Record<string, string>;
  values?: Record<string, unknown>;
}

/** By these a lost transaction tells its writes apart: whose record one is about, or whose unique name it takes. */
export type WriteName =
  | "administrator"
  | "base"
  | "build template name"
  | "chain end"
  | "chart template"
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
  | "owner slot"
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

/** The name is for `ConditionFailed` alone; DynamoDB never gets it. */
export type Write = { name?: WriteName } & (
  | { kind: "put"; item: Key & Record<string, unknown>; condition?: Condition }
  | { kind: "update"; key: Key; changes: Changes; condition: Condition }
  | { kind: "remove"; key: Key; condition?: Condition }
  | { kind: "check"; key: Key; condition: Condition }
);

/** Attributes to set, to take away, numbers to add to, and sets of texts to put members into or take members from. */
export interface Changes {
  set?: Record<string, unknown>;
  unset?: readonly string[];
  add?: Record<string, number | ReadonlySet<string>>;
  takeFrom?: Record<string, ReadonlySet<string>>;
}

export const mustNotExist: Condition = { expression: "attribute_not_exists(pk)" };
export const mustExist: Condition = { expression: "attribute_exists(pk)" };

/** The item must still be the one that was read. */
export function mustHaveVersion(version: number): Condition {
  return { expression: "#version = :version", names: { "#version": "version" }, values: { ":version": version } };
}

/** The attribute must hold one of the values, for example the statuses from which a transition is allowed. */
export function mustBeOneOf(attribute: string, allowed: readonly unknown[]): Condition {
  const values = Object.fromEntries(allowed.map((value, at) => [`:allowed${at}`, value]));
  return {
    expression: `#attribute IN (${Object.keys(values).join(", ")})`,
    names: { "#attribute": attribute },
    values,
  };
}

/** The item must be there with the attribute. */
export function mustHave(attribute: string): Condition {
  return { expression: "attribute_exists(#had)", names: { "#had": attribute } };
}

/** The item must be there without the attribute: what is set once. */
export function mustLack(attribute: string): Condition {
  return {
    expression: "attribute_exists(pk) AND attribute_not_exists(#lacked)",
    names: { "#lacked": attribute },
  };
}

/** Both conditions must hold. */
export function both(a: Condition, b: Condition): Condition {
  const renamed = (text: string): string => text.replace(/([#:])([A-Za-z0-9]+)/g, "$1$2second");
  const rename = <T>(record: Record<string, T> = {}): Record<string, T> =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [renamed(name), value]));
  return {
    expression: `(${a.expression}) AND (${renamed(b.expression)})`,
    names: { ...a.names, ...rename(b.names) },
    values: { ...a.values, ...rename(b.values) },
  };
}

/** Free, or its time (Unix seconds in `attribute`) is over: leases and in-flight marks. */
export function mustBeFreeOrBefore(attribute: string, now: number): Condition {
  return {
    expression: "attribute_not_exists(pk) OR #time < :now",
    names: { "#time": attribute },
    values: { ":now": now },
  };
}

/** A new item: it must not exist. `version` starts at 1. */
export function create(item: Key & { type: string } & Record<string, unknown>): Write {
  return { kind: "put", item: { ...item, version: 1 }, condition: mustNotExist };
}

/**
 * Puts an item whatever stands there: only for what has one writer, or whose repetition writes the same. In a
 * transaction a `check` beside it tells who that writer is.
 */
export function overwrite(item: Key & { type: string } & Record<string, unknown>): Write {
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

/** Changes attributes under a condition; the version rises by one. */
export function update(key: Key, changes: Changes, condition: Condition): Extract<Write, { kind: "update" }> {
  return { kind: "update", key, changes: { ...changes, add: { ...changes.add, version: 1 } }, condition };
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

/** @throws Error when DynamoDB would refuse the write for what it says, whatever is stored */
export function toTransactItem(tableName: string, write: Write): TransactItem {
  refuseAttributes(write.kind === "put" ? write.item : write.key);
  if (write.kind === "update") refuseAttributes(write.changes.set ?? {});
  const item = transactItem(tableName, write);
  for (const part of Object.values(item)) refuseExpressions(part ?? {});
  return item;
}

function transactItem(tableName: string, write: Write): TransactItem {
  const condition = write.condition && {
    ConditionExpression: write.condition.expression,
    ...(write.condition.names && { ExpressionAttributeNames: write.condition.names }),
    ...(write.condition.values && { ExpressionAttributeValues: write.condition.values }),
  };
  switch (write.kind) {
    case "put":
      return { Put: { TableName: tableName, Item: write.item, ...condition } };
    case "remove":
      return { Delete: { TableName: tableName, Key: write.key, ...condition } };
    case "check":
      return {
        ConditionCheck: {
          TableName: tableName,
          Key: write.key,
          ConditionExpression: write.condition.expression,
          ...condition,
        },
      };
    case "update": {
      const expression = updateExpression(write.changes);
      return {
        Update: {
          TableName: tableName,
          Key: write.key,
          UpdateExpression: expression.text,
          ConditionExpression: write.condition.expression,
          ExpressionAttributeNames: { ...expression.names, ...write.condition.names },
          ...(Object.keys({ ...expression.values, ...write.condition.values }).length > 0 && {
            ExpressionAttributeValues: { ...expression.values, ...write.condition.values },
          }),
        },
      };
    }
  }
}

function updateExpression(changes: Changes): {
  text: string;
  names: Record<string, string>;
  values: Record<string, unknown>;
} {
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const name = (attribute: string): string => {
    const placeholder = `#a${Object.keys(names).length}`;
    names[placeholder] = attribute;
    return placeholder;
  };
  const value = (content: unknown): string => {
    const placeholder = `:v${Object.keys(values).length}`;
    values[placeholder] = content;
    return placeholder;
  };
  const set = Object.entries(changes.set ?? {})
    .filter(([, content]) => content !== undefined)
    .map(([attribute, content]) => `${name(attribute)} = ${value(content)}`);
  const add = Object.entries(changes.add ?? {}).map(([attribute, amount]) => `${name(attribute)} ${value(amount)}`);
  const taken = Object.entries(changes.takeFrom ?? {}).map(
    ([attribute, members]) => `${name(attribute)} ${value(members)}`,
  );
  const unset = (changes.unset ?? []).map((attribute) => name(attribute));
  const parts = [
    set.length > 0 ? `SET ${set.join(", ")}` : "",
    add.length > 0 ? `ADD ${add.join(", ")}` : "",
    taken.length > 0 ? `DELETE ${taken.join(", ")}` : "",
    unset.length > 0 ? `REMOVE ${unset.join(", ")}` : "",
  ];
  refuseRepeats(Object.values(names));
  return { text: parts.filter((part) => part !== "").join(" "), names, values };
}
