import { ManifestError } from "../manifestError.ts";
import { readYaml, type YamlSource } from "../parseYaml.ts";
import type { SpanIndex } from "./spanIndex.ts";
import type { Range, YamlNode } from "./yamlTree.ts";

/** A document read with harmless words in place of the inserted values. */
export interface MaskedSpan {
  tree: YamlNode | undefined;
  /** Where a place of the document's own text is in the masked text. */
  newOffset(offset: number): number;
}

/**
 * Reads a document with its inserted values replaced by constant text: first by words of the same shape (an entry of a
 * map, an item of a list, a word), then by a word everywhere, then by nothing. A replacement that gives no YAML is left
 * out.
 */
export function* maskSpans(source: YamlSource, spans: SpanIndex): Generator<MaskedSpan> {
  const ranges = unite(spans);
  const shapes = source.tree ? shapesOf(source.tree) : [];
  const words = ranges.map((range) => wordFor(source.text.slice(range.start, range.end), range, shapes));
  for (const replacement of [words, ranges.map(() => "x"), ranges.map(() => "")]) {
    const masked = mask(source, ranges, replacement);
    if (masked) yield masked;
  }
}

function unite(spans: SpanIndex): Range[] {
  const ranges: Range[] = [];
  for (const { start, end } of spans.list) {
    const last = ranges.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else ranges.push({ start, end });
  }
  return ranges;
}

function mask(source: YamlSource, ranges: readonly Range[], words: readonly string[]): MaskedSpan | undefined {
  const pieces: string[] = [];
  const moves: { end: number; by: number }[] = [];
  let from = 0;
  let by = 0;
  ranges.forEach(({ start, end }, index) => {
    const word = words[index] ?? "";
    pieces.push(source.text.slice(from, start), word);
    by += word.length - (end - start);
    from = end;
    moves.push({ end, by });
  });
  pieces.push(source.text.slice(from));
  try {
    const { tree } = readYaml(pieces.join(""));
    return { tree, newOffset: (offset) => offset + (lastBefore(moves, offset)?.by ?? 0) };
  } catch (error) {
    if (error instanceof ManifestError) return undefined;
    throw error;
  }
}

function lastBefore<T extends { end: number }>(moves: readonly T[], offset: number): T | undefined {
  let low = 0;
  let high = moves.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moves[middle]?.end ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return moves[low - 1];
}

interface Shape extends Range {
  kind: "key" | "item" | "value";
}

/** What begins where in a document, in order. */
function shapesOf(tree: YamlNode): Shape[] {
  const shapes: Shape[] = [];
  function visit(node: YamlNode, kind: Shape["kind"]): void {
    const { start, end } = node;
    if (node.kind === "list") shapes.push({ kind: "item", start, end: start + 1 });
    else if (node.kind !== "map") shapes.push({ kind, start, end });
    if (node.kind === "list") for (const item of node.items) visit(item, "value");
    if (node.kind === "map") {
      for (const entry of node.entries) {
        visit(entry.key, "key");
        visit(entry.value, "value");
      }
    }
  }
  visit(tree, "value");
  return shapes.sort((a, b) => a.start - b.start);
}

/** Constant text that replaces a value at its place; the look of the value only chooses between constants. */
function wordFor(value: string, range: Range, shapes: readonly Shape[]): string {
  const next = firstFrom(range.start, shapes);
  const before = shapes[next - 1];
  // A key that began before the value and ends in it.
  const straddling = before && before.kind === "key" && before.end > range.start ? before : undefined;
  const first = shapes[next];
  const inside = straddling ?? (first && first.start < range.end ? first : undefined);
  if (!inside) {
    if (/^[ \t]*$/.test(value)) return " ";
    return /^[|>][-+]?$/.test(value.trim()) ? "|" : "x";
  }
  if (inside.kind === "item" && value.charAt(inside.start - range.start) === "-") return "- x";
  if (inside.kind !== "key" || range.end <= inside.end) return "x";
  return value.trimEnd().endsWith(":") ? "x:" : "x: x";
}

/** The index of the first shape that begins at an offset or behind it. */
function firstFrom(offset: number, shapes: readonly Shape[]): number {
  let low = 0;
  let high = shapes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((shapes[middle]?.start ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
