/** A piece of a line in one look: classes such as `red bold`; empty for plain text. */
export interface Piece {
  text: string;
  look: string;
}

const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
// biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals are told begins with the character Escape
const sequence = /\x1b\[([0-9;]*)([A-Za-z])/g;

/**
 * A line as a terminal shows it: its colours (Select Graphic Rendition of ECMA-48, of which the 16 colours and bold), and
 * without everything else that only a terminal understands.
 */
export function pieces(line: string): Piece[] {
  if (!line.includes("\x1b")) return [{ text: line, look: "" }];
  const found: Piece[] = [];
  let [at, colour, weight] = [0, "", ""];
  const add = (text: string): void => {
    if (text !== "") found.push({ text, look: [colour, weight].filter((part) => part !== "").join(" ") });
  };
  for (const match of line.matchAll(sequence)) {
    add(line.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[2] === "m") [colour, weight] = lookAfter([colour, weight], match[1] ?? "");
  }
  add(line.slice(at));
  return found;
}

/** @param codes separated by semicolons; none means 0 */
function lookAfter(before: [string, string], codes: string): [string, string] {
  let [colour, weight] = before;
  const all = (codes === "" ? "0" : codes).split(";").map(Number);
  // 38 and 48 begin a colour of another palette, whose numbers mean nothing here.
  for (const code of all.slice(0, all.findIndex((one) => one === 38 || one === 48) + 1 || undefined)) {
    if (code === 0) [colour, weight] = ["", ""];
    else if (code === 1) weight = "bold";
    else if (code === 22) weight = "";
    else if (code === 39) colour = "";
    else colour = names[code - 30] ?? names[code - 90] ?? colour;
  }
  return [colour, weight];
}

/** A line without colours, as it is searched and kept in a file. */
export const plainLine = (line: string): string => line.replace(sequence, "");
