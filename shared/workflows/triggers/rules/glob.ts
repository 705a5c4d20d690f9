/** What may be between the text before and this one: nothing, any text, or whole folders and also none. */
interface Part {
  gap: "none" | "text" | "folders";
  /** With `?` for one character. */
  text: string;
}

/**
 * Whether a pattern is the whole of a value. `*` is any text, slashes included, `?` one character, and
 * `**` with a slash after it is any number of folders, none too. Takes as many steps as value and pattern have characters, multiplied.
 * @param folders the value may also be anything in a folder that the pattern is
 */
export function fitsGlob(pattern: string, value: string, { folders = false } = {}): boolean {
  const parts = partsOf(pattern);
  let at = 0;
  for (const [index, { gap, text }] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const found = startsOf(gap, at, value).find((start) => {
      if (!isAt(text, value, start)) return false;
      const end = start + text.length;
      return !isLast || end === value.length || (folders && value[end] === "/");
    });
    // Any text up to the end, and everything where nothing is asked for.
    if (isLast && text === "" && (gap === "text" || (folders && pattern === ""))) return true;
    if (found === undefined) return false;
    // The first place is the best one: what fits behind a later one fits behind it, too.
    at = found + text.length;
  }
  return true;
}

function partsOf(pattern: string): Part[] {
  const parts: Part[] = [];
  let rest: Part = { gap: "none", text: "" };
  for (let at = 0; at < pattern.length; ) {
    const isBoundary = at === 0 || pattern[at - 1] === "/";
    const stars = /^\*+/.exec(pattern.slice(at))?.[0].length ?? 0;
    if (stars === 0) {
      rest.text += pattern[at];
      at += 1;
      continue;
    }
    const isFolders = stars > 1 && isBoundary && pattern[at + stars] === "/";
    parts.push(rest);
    rest = { gap: isFolders ? "folders" : "text", text: "" };
    at += isFolders ? stars + 1 : stars;
  }
  return [...parts, rest];
}

function startsOf(gap: Part["gap"], from: number, value: string): number[] {
  if (gap === "none") return [from];
  const all = Array.from({ length: value.length - from + 1 }, (_, index) => from + index);
  return gap === "text" ? all : all.filter((at) => at === 0 || value[at - 1] === "/");
}

function isAt(text: string, value: string, start: number): boolean {
  if (start + text.length > value.length) return false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== "?" && text[at] !== value[start + at]) return false;
  }
  return true;
}
