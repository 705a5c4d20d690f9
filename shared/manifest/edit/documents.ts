/** One document of a text of several. */
export interface DocumentText {
  text: string;
  /** The UTF-16 offset of `text` in the whole. */
  start: number;
  /** The line of the whole where `text` begins, from 1. */
  line: number;
}

// Not the flag m: it would let other characters than the line feed begin a line.
const MARKER = /(?<![^\n])---(?=[ \t\r\n]|$)/g;

/** Finds the documents of a text: parted by lines `---` (P 11.8); documents of blanks and comments are left out. */
export function findDocuments(text: string): DocumentText[] {
  const documents: DocumentText[] = [];
  let start = 0;
  let line = 1;
  let counted = 0;

  function add(end: number): void {
    const content = text.slice(start, end);
    const blank = /^(?:[ \t]*\r?\n)*/.exec(content)?.[0].length ?? 0;
    for (; counted < start + blank; counted++) if (text.charCodeAt(counted) === 10) line++;
    if (!isEmpty(content)) documents.push({ text: content.slice(blank), start: start + blank, line });
  }

  for (const marker of text.matchAll(MARKER)) {
    add(marker.index);
    start = marker.index + 3;
  }
  add(text.length);
  return documents;
}

/**
 * Splits manifest text into its documents (contract P 11.8): at lines `---`, with CRLF as LF; documents without content
 * are dropped. `joinDocuments` puts them together again.
 */
export function splitDocuments(text: string): string[] {
  return findDocuments(text.replaceAll("\r\n", "\n")).map((document) => document.text);
}

/** Joins documents by lines `---`. */
export function joinDocuments(documents: readonly string[]): string {
  return documents.map((text) => (text.endsWith("\n") ? text : `${text}\n`)).join("---\n");
}

/** Comments and directives (`%YAML 1.2`) are no content. */
function isEmpty(text: string): boolean {
  return !/(?<![^\n])(?!%)[ \t\r]*[^ \t\r\n#]/.test(text);
}
