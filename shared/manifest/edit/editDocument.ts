import { ManifestError } from "../manifestError.ts";
import { dumpYaml, readYaml, type YamlSource, yamlValue } from "../parseYaml.ts";
import { isRecord } from "../schema/kubeObject.ts";
import type { ScalarNode, YamlNode } from "./yamlTree.ts";

interface Edit {
  start: number;
  end: number;
  text: string;
}

/**
 * A document's text that reads as another value. Only scalars that differ and keys that are new change, and comments
 * stay; where an alias, a merge or a removal makes that impossible, the whole document is written from scratch.
 */
export function editDocument(source: YamlSource, before: unknown, after: unknown): string {
  if (after === before) return source.text;
  const edits = editsOf(source.text, source.tree, before, after);
  if (edits === undefined) return dumpYaml(after);
  const ordered = edits.sort((a, b) => b.start - a.start);
  const edited = ordered.reduce((all, edit) => all.slice(0, edit.start) + edit.text + all.slice(edit.end), source.text);
  return readsAs(edited, after) ? edited : dumpYaml(after);
}

/** Undefined when the difference cannot be made in the text. */
function editsOf(text: string, node: YamlNode | undefined, before: unknown, after: unknown): Edit[] | undefined {
  if (before === after || JSON.stringify(before) === JSON.stringify(after)) return [];
  if (node?.kind === "scalar") {
    const scalar = scalarText(after, node);
    return scalar === undefined ? undefined : [{ start: node.start, end: node.end, text: scalar }];
  }
  if (node?.kind === "list" && Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return joined(after.map((item, index) => editsOf(text, node.items[index], before[index], item)));
  if (node?.kind !== "map" || !isRecord(before) || !isRecord(after)) return undefined;
  if (Object.keys(before).some((key) => !Object.hasOwn(after, key))) return undefined;
  return joined(
    Object.entries(after).map(([key, value]) =>
      Object.hasOwn(before, key)
        ? editsOf(text, entryOf(node, key), before[key], value)
        : insertion(text, node, key, value),
    ),
  );
}

function joined(parts: readonly (Edit[] | undefined)[]): Edit[] | undefined {
  const all: Edit[] = [];
  for (const part of parts) {
    if (part === undefined) return undefined;
    all.push(...part);
  }
  return all;
}

/** A new key goes before the first one, which tells the indentation. */
function insertion(
  text: string,
  node: Extract<YamlNode, { kind: "map" }>,
  key: string,
  value: unknown,
): Edit[] | undefined {
  const first = node.entries[0]?.key.start;
  if (first === undefined) return undefined;
  const isFlow = text[node.start] === "{";
  const indent = " ".repeat(first - (text.lastIndexOf("\n", first - 1) + 1));
  const end = isFlow ? ", " : `\n${indent}`;
  return [{ start: first, end: first, text: `${key}: ${JSON.stringify(value)}${end}` }];
}

function entryOf(node: Extract<YamlNode, { kind: "map" }>, key: string): YamlNode | undefined {
  return node.entries.find((pair) => pair.key.kind === "scalar" && pair.key.text === key)?.value;
}

function readsAs(text: string, wanted: unknown): boolean {
  try {
    return JSON.stringify(sorted(yamlValue(readYaml(text)))) === JSON.stringify(sorted(wanted));
  } catch (error) {
    if (error instanceof ManifestError) return false;
    throw error;
  }
}

/** The position of a new key among its neighbours does not matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

function scalarText(value: unknown, { isPlain }: ScalarNode): string | undefined {
  if (typeof value === "string")
    return isPlain && /^[A-Za-z][\w.-]*(?:[/:@][\w.-]+)+$/.test(value) ? value : JSON.stringify(value);
  return ["number", "bigint", "boolean"].includes(typeof value) ? String(value) : undefined;
}
