import { stripVTControlCharacters, styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Which statuses are good, bad or still open; of environments, services, tasks, jobs and plans alike. */
const styles: Readonly<Record<string, Style>> = {
  ...Object.fromEntries(["running", "passed", "success", "done", "normal"].map((status) => [status, "green"] as const)),
  ...Object.fromEntries(
    ["failed", "error", "timeout", "reject", "unstable", "denied"].map((status) => [status, "red"] as const),
  ),
  ...Object.fromEntries(["cancelled", "skipped", "sleeping", "cancel"].map((status) => [status, "gray"] as const)),
};

/** A status in its colour, where the output has colours (`NO_COLOR` and pipes have none). */
export function shownStatus(status: string): string {
  return styleText(styles[status] ?? "yellow", status || "-");
}

/** Lines of a unified diff, added ones and removed ones in their colours. */
export function shownDiff(diff: string): string {
  return diff
    .split("\n")
    .map((line) => {
      if (line.startsWith("+")) return styleText("green", line);
      if (line.startsWith("-")) return styleText("red", line);
      return line.startsWith("@@") ? styleText("cyan", line) : line;
    })
    .join("\n");
}

const fewestColumns = 12;

/**
 * Columns under their headings; widths are of what is seen.
 * @param room columns of the terminal: where the table is wider, its widest columns are cut in the middle of their cells
 */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  room = process.stdout.isTTY === true ? process.stdout.columns || Infinity : Infinity,
): string {
  const full = [headings, ...rows];
  const widths = headings.map((_, at) => Math.max(...full.map((line) => seenWidth(line[at] ?? ""))));
  for (let excess = widths.reduce((sum, width) => sum + width + 2, -2) - room; excess > 0; ) {
    const widest = widths.indexOf(Math.max(...widths));
    const [width = 0] = widths.slice(widest);
    const next = Math.max(...widths.filter((_, at) => at !== widest), fewestColumns);
    const cut = Math.min(excess, Math.max(width - next, 1));
    if (width - cut < fewestColumns) break;
    widths[widest] = width - cut;
    excess -= cut;
  }
  const lines = full.map((line) => line.map((cell, at) => cutTo(cell, widths[at] ?? 0)));
  const shown = lines.map((line) =>
    line
      .map((cell, at) => cell + " ".repeat((widths[at] ?? 0) - seenWidth(cell)))
      .join("  ")
      .trimEnd(),
  );
  return shown.join("\n");
}

/** Keeps both ends: of an image those are its registry and its tag. A cell in colours is a short one and stays. */
function cutTo(cell: string, width: number): string {
  if (cell.length <= width || seenWidth(cell) < cell.length) return cell;
  const tail = Math.ceil((width - 1) * 0.6);
  return `${cell.slice(0, width - 1 - tail)}…${cell.slice(cell.length - tail)}`;
}

/** Columns that a text takes, without the sequences of its colours. */
export function seenWidth(text: string): number {
  return stripVTControlCharacters(text).length;
}
