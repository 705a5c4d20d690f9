import type { SpannedText } from "../template/renderTemplate.ts";

/** Where a service is rendered to; the values of the placeholders of contract P 11.3 and 11.4. */
export interface RenderContext {
  projectKey: string;
  serviceName: string;
  namespace: string;
  envName: string;
  clusterName: string;
}

const PLACEHOLDER = /\$(?:T-Project|T-Service|Namespace|EnvName|Product|Service|ClusterName)\$/g;

function contextValue(placeholder: string, context: RenderContext): string {
  switch (placeholder) {
    case "$T-Project$":
      return context.projectKey;
    case "$T-Service$":
      return context.serviceName;
    case "$Namespace$":
      return context.namespace.toLowerCase();
    case "$EnvName$":
      return context.envName.toLowerCase();
    case "$Product$":
      return context.projectKey.toLowerCase();
    case "$Service$":
      return context.serviceName.toLowerCase();
    default:
      return context.clusterName.toLowerCase();
  }
}

/**
 * Fills in `$Namespace$` and the like, in the template's text and in inserted values alike. Each becomes a span of its
 * own under the placeholder's name; the other spans follow their text.
 */
export function replaceContext(rendered: SpannedText, context: RenderContext): SpannedText {
  const pieces: string[] = [];
  const filled: { start: number; end: number; variable: string }[] = [];
  /** Old offsets of the placeholders, and how far the text behind each one has moved. */
  const moves: { start: number; end: number; newStart: number; newEnd: number }[] = [];
  let from = 0;
  let length = 0;
  for (const match of rendered.text.matchAll(PLACEHOLDER)) {
    const [variable] = match;
    const value = contextValue(variable, context);
    pieces.push(rendered.text.slice(from, match.index), value);
    const newStart = length + match.index - from;
    length = newStart + value.length;
    from = match.index + variable.length;
    filled.push({ start: newStart, end: length, variable });
    moves.push({ start: match.index, end: from, newStart, newEnd: length });
  }
  if (moves.length === 0) return rendered;
  pieces.push(rendered.text.slice(from));
  const moved = rendered.spans.map(({ start, end, variable }) => ({
    start: newOffset(start, moves, "start"),
    end: newOffset(end, moves, "end"),
    variable,
  }));
  return { text: pieces.join(""), spans: [...moved, ...filled].sort((a, b) => a.start - b.start) };
}

/** An offset inside a placeholder moves to the edge of its value, so that a span there covers the whole value. */
function newOffset(
  offset: number,
  moves: readonly { start: number; end: number; newStart: number; newEnd: number }[],
  edge: "start" | "end",
): number {
  let low = 0;
  let high = moves.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moves[middle]?.start ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  const before = moves[low - 1];
  if (!before) return offset;
  if (offset < before.end) return edge === "start" ? before.newStart : before.newEnd;
  return offset - before.end + before.newEnd;
}
