/** A dump of a value no longer than this is worth reading. */
const longestValue = 120;

/**
 * An API server's refusal without the dumps of whole values that it writes before or after the reason: a pod template
 * has thousands of characters, and the problem comes at the end.
 */
export function shortRefusal(message: string): string {
  return withoutValues(message).replace(/\s*(?:;\s*)?&?\b(?:core|apps|batch|v1)\.\w+\{[\s\S]*$/, "");
}

function withoutValues(message: string): string {
  const mark = "Invalid value: ";
  const at = message.indexOf(mark);
  if (at < 0) return message;
  const start = at + mark.length;
  const end = endOfValue(message, start);
  const rest = withoutValues(message.slice(end));
  if (end - start <= longestValue) return message.slice(0, end) + rest;
  return message.slice(0, at) + rest.replace(/^:\s*/, "");
}

/** Where the value that begins at `start` ends: behind its closing bracket or quote, or before the next colon. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (quoted) {
      if (char === "\\") at++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
    if (!quoted && depth === 0 && /^(?:: |;|,? and |\n|$)/.test(text.slice(at + 1, at + 7))) return at + 1;
  }
  return text.length;
}
