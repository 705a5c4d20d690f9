import { createTwoFilesPatch, FILE_HEADERS_ONLY, formatPatch } from "diff";

/** Beyond so many changed lines the shortest way is not looked for: everything is taken away and put in again. */
const maxEditLength = 1000;
const context = 3;

/** The difference of two texts in the unified format of diff(1), with three lines around each change; "" when equal. */
export function unifiedDiff(before: string, after: string, names: { before: string; after: string }): string {
  if (before === after) return "";
  const options = { context, maxEditLength, headerOptions: FILE_HEADERS_ONLY };
  const patch = createTwoFilesPatch(names.before, names.after, before, after, undefined, undefined, options);
  return patch ?? replacement(before, after, names);
}

function replacement(before: string, after: string, names: { before: string; after: string }): string {
  const [oldLines, newLines] = [linesOf(before), linesOf(after)];
  const lines = [...oldLines.map((line) => `-${line}`), ...newLines.map((line) => `+${line}`)];
  const hunk = { oldStart: 1, oldLines: oldLines.length, newStart: 1, newLines: newLines.length, lines };
  const file = { oldFileName: names.before, newFileName: names.after, hunks: [hunk] };
  return formatPatch({ ...file, oldHeader: undefined, newHeader: undefined }, FILE_HEADERS_ONLY);
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, "").split("\n");
}
