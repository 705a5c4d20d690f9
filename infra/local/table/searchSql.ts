import type { SQLInputValue } from "node:sqlite";
import type { Attributes, Search } from "../../../shared/base/store/engine.ts";
import { tableDefinition } from "../../../shared/base/store/tableDefinition.ts";

const { indexes } = tableDefinition;

/** The SQL table that has the entries of an index. */
export const indexTable = ({ name }: { name: string }): string => `index_${name}`;

/**
 * The rows that a search finds, in its order, as SQL with its values.
 * @param from the last item of the page before
 */
export function searchSql(
  { pk, index, prefix, between, descending = false, limit }: Search,
  from: Attributes | undefined,
): { sql: string; values: SQLInputValue[] } {
  const definition = indexes.find(({ name }) => name === index);
  const table = definition === undefined ? "items" : indexTable(definition);
  const [partition, sort] = definition === undefined ? ["pk", "sk"] : ["indexPk", "indexSk"];
  const conditions = [`${partition} = ?`];
  const values: SQLInputValue[] = [pk];
  const bound = (text: string, ...bounds: string[]) => {
    conditions.push(text);
    values.push(...bounds);
  };
  if (prefix !== undefined) {
    bound(`${sort} >= ?`, prefix);
    const after = successor(prefix);
    if (after !== undefined) bound(`${sort} < ?`, after);
  } else if (between !== undefined) bound(`${sort} BETWEEN ? AND ?`, ...between);
  const order = definition === undefined ? ["sk"] : ["indexSk", "pk", "sk"];
  const beyond = descending ? "<" : ">";
  if (from !== undefined) {
    const last = definition === undefined ? [from.sk] : [from[definition.sortKey], from.pk, from.sk];
    bound(`(${order.join(", ")}) ${beyond} (${order.map(() => "?").join(", ")})`, ...last.map(String));
  }
  const direction = descending ? " DESC" : "";
  const ordered = order.map((column) => column + direction).join(", ");
  if (limit !== undefined) values.push(limit);
  return {
    sql: `SELECT * FROM ${table} WHERE ${conditions.join(" AND ")} ORDER BY ${ordered}${limit === undefined ? "" : " LIMIT ?"}`,
    values,
  };
}

/** The least text that is greater than every text with the prefix; undefined when there is none. */
function successor(prefix: string): string | undefined {
  const points = [...prefix].map((character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  // Surrogates stand for no character.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
}
