import type { Condition, Path } from "../conditions.ts";
import type { Changes } from "../writes.ts";

/** The placeholders of one request: DynamoDB takes neither names nor values in its expressions. */
export class Placeholders {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, unknown> = {};
  readonly #byName = new Map<string, string>();

  name(attribute: string): string {
    const known = this.#byName.get(attribute);
    if (known !== undefined) return known;
    const placeholder = `#n${this.#byName.size}`;
    this.#byName.set(attribute, placeholder);
    this.names[placeholder] = attribute;
    return placeholder;
  }

  value(content: unknown): string {
    const placeholder = `:v${Object.keys(this.values).length}`;
    this.values[placeholder] = content;
    return placeholder;
  }

  /** As fields of a request, those that are empty left out: DynamoDB refuses them. */
  fields(): { ExpressionAttributeNames?: Record<string, string>; ExpressionAttributeValues?: Record<string, unknown> } {
    return {
      ...(Object.keys(this.names).length > 0 && { ExpressionAttributeNames: this.names }),
      ...(Object.keys(this.values).length > 0 && { ExpressionAttributeValues: this.values }),
    };
  }
}

export function conditionExpression(condition: Condition, placeholders: Placeholders): string {
  const inner = (one: Condition): string => {
    const text = conditionExpression(one, placeholders);
    return one.kind === "and" || one.kind === "or" ? `(${text})` : text;
  };
  switch (condition.kind) {
    case "and":
    case "or": {
      const [only, ...others] = condition.conditions;
      if (only !== undefined && others.length === 0) return conditionExpression(only, placeholders);
      return condition.conditions.map(inner).join(condition.kind === "and" ? " AND " : " OR ");
    }
    case "not":
      return `NOT ${inner(condition.condition)}`;
  }
  const path = pathText(condition.path, placeholders);
  switch (condition.kind) {
    case "exists":
      return `attribute_exists(${path})`;
    case "absent":
      return `attribute_not_exists(${path})`;
    case "equals":
      return `${path} = ${placeholders.value(condition.value)}`;
    case "oneOf":
      return `${path} IN (${condition.values.map((value) => placeholders.value(value)).join(", ")})`;
    case "less":
      return `${path} < ${placeholders.value(condition.value)}`;
    case "atMost":
      return `${path} <= ${placeholders.value(condition.value)}`;
    case "contains":
      return `contains(${path}, ${placeholders.value(condition.member)})`;
    case "larger":
      return `size(${path}) > ${placeholders.value(condition.size)}`;
  }
}

function pathText(path: Path, placeholders: Placeholders): string {
  return typeof path === "string"
    ? placeholders.name(path)
    : path.map((attribute) => placeholders.name(attribute)).join(".");
}

export function updateExpression(changes: Changes, placeholders: Placeholders): string {
  const { set = {}, initial = {}, unset = [], add = {}, takeFrom = {} } = changes;
  const given = (attributes: Readonly<Record<string, unknown>>) =>
    Object.entries(attributes).filter(([, value]) => value !== undefined);
  const beside = ([name, value]: [string, unknown]) => `${placeholders.name(name)} ${placeholders.value(value)}`;
  const sets = [
    ...given(set).map(([name, value]) => `${placeholders.name(name)} = ${placeholders.value(value)}`),
    ...given(initial).map(([name, value]) => {
      const attribute = placeholders.name(name);
      return `${attribute} = if_not_exists(${attribute}, ${placeholders.value(value)})`;
    }),
  ];
  return [
    ["SET", sets],
    ["ADD", given(add).map(beside)],
    ["DELETE", given(takeFrom).map(beside)],
    ["REMOVE", unset.map((name) => placeholders.name(name))],
  ]
    .flatMap(([word, parts]) =>
      parts === undefined || parts.length === 0 ? [] : [`${word} ${(parts as string[]).join(", ")}`],
    )
    .join(" ");
}
