import type { YamlSource } from "../parseYaml.ts";
import { protectedKeys } from "../schema/protectedKeys.ts";
import { type MaskedSpan, maskSpans } from "./maskSpans.ts";
import { SpanIndex } from "./spanIndex.ts";

/** A value that would do what only the template's own text may do; decisions 5.9. */
export class InsertionError extends Error {
  readonly variables: readonly string[];

  constructor(variables: readonly string[], problem: string) {
    super(problem);
    this.name = "InsertionError";
    this.variables = variables;
  }
}

const BREAK = /\r\n|[\n\r\u0085\u2028\u2029]/g;

/**
 * Refuses inserted values that begin a line with `---` or `...`, alone or together with the text beside them.
 * Throws an InsertionError naming the variables.
 */
export function checkInsertedLines(text: string, spans: SpanIndex): void {
  if (spans.isEmpty) return;
  checkLine(text, 0, 0, spans);
  for (const match of text.matchAll(BREAK)) checkLine(text, match.index, match.index + match[0].length, spans);
}

function checkLine(text: string, breakStart: number, start: number, spans: SpanIndex): void {
  const marker = text.slice(start, start + 3);
  if (marker !== "---" && marker !== "...") return;
  const variables = spans.touching(breakStart, start + 3);
  if (variables.length === 0) return;
  throw new InsertionError(variables, `the value of ${variables.join(", ")} may not begin a line with ${marker}`);
}

/**
 * Refuses inserted values that bring the keys apiVersion, kind or namespace into a document: in their own text,
 * together with the template's text, through anchors, aliases and merges, or by turning template text that is no key
 * (a comment, a part of a string) into one. The last is found by reading the document again with harmless words in
 * place of the values. Throws an InsertionError naming the variables.
 */
export function checkInsertedKeys(source: YamlSource, start: number, all: SpanIndex): void {
  const spans = all.within(start, start + source.text.length);
  if (spans.isEmpty || !source.tree) return;
  const { keys, brought } = protectedKeys(source.tree, spans);
  const [first] = brought;
  if (first) {
    throw new InsertionError(first.variables, `the value of ${first.variables.join(", ")} may not bring ${first.what}`);
  }
  if (spans.list.every(({ start: from, end }) => isWord(source.text.slice(from, end)))) return;
  const expected = keys.map(({ node, isRoot }) => ({ offset: node.start, isRoot }));
  for (const masked of maskSpans(source, spans)) if (confirms(masked, expected)) return;
  const variables = [...new Set(spans.list.map(({ variable }) => variable))];
  throw new InsertionError(
    variables,
    `the values of ${variables.join(", ")} change which keys the text around them has; give them as type yaml, or put them in quotes`,
  );
}

/** A value of such characters reads like any other word, whatever surrounds it. */
function isWord(value: string): boolean {
  return /^[A-Za-z0-9](?:[A-Za-z0-9_./-]|[:@](?=[A-Za-z0-9]))*$/.test(value);
}

function confirms(masked: MaskedSpan, expected: readonly { offset: number; isRoot: boolean }[]): boolean {
  if (!masked.tree) return expected.length === 0;
  const { keys } = protectedKeys(masked.tree, SpanIndex.NONE);
  const known = new Set(keys.map(({ node, isRoot }) => `${node.start} ${isRoot}`));
  return expected.every(({ offset, isRoot }) => known.has(`${masked.newOffset(offset)} ${isRoot}`));
}
