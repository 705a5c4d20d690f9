import { findDocuments } from "./edit/documents.ts";
import { InsertionError } from "./edit/insertionRule.ts";
import type { SpanIndex } from "./edit/spanIndex.ts";
import { ManifestError } from "./manifestError.ts";
import { readYaml, yamlValue } from "./parseYaml.ts";

/** So many variables are tried one by one; beyond them the YAML alone is blamed. */
const MAX_TRIED = 20;

/**
 * Tells whether inserted values made a document wrong: those are the variables without whose values it can be read.
 * Undefined when it is the template's own text.
 */
export function blameVariables(error: ManifestError, text: string, spans: SpanIndex): InsertionError | undefined {
  if (error.reason !== "syntax" || error.document === undefined) return undefined;
  const document = findDocuments(text)[error.document - 1];
  if (!document) return undefined;
  const inside = spans.within(document.start, document.start + document.text.length);
  const names = [...new Set(inside.list.map(({ variable }) => variable))].slice(0, MAX_TRIED);
  const guilty = names.filter((name) => isReadable(without(document.text, inside, [name])));
  if (guilty.length === 0 && isReadable(without(document.text, inside, names))) guilty.push(...names);
  if (guilty.length === 0) return undefined;
  return new InsertionError(
    guilty,
    `the value of ${guilty.join(", ")} does not fit into the YAML around it: ${error.message}`,
  );
}

function without(text: string, spans: SpanIndex, names: readonly string[]): string {
  let from = 0;
  let masked = "";
  for (const { start, end, variable } of spans.list) {
    if (start < from || !names.includes(variable)) continue;
    masked += `${text.slice(from, start)}x`;
    from = end;
  }
  return masked + text.slice(from);
}

function isReadable(text: string): boolean {
  try {
    yamlValue(readYaml(text));
    return true;
  } catch (error) {
    if (error instanceof ManifestError) return false;
    throw error;
  }
}
