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

/** Columns under their headings; widths are of what is seen. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, at) => Math.max(...lines.map((line) => seenWidth(line[at] ?? ""))));
  const shown = lines.map((line) =>
    line
      .map((cell, at) => cell + " ".repeat((widths[at] ?? 0) - seenWidth(cell)))
      .join("  ")
      .trimEnd(),
  );
  return shown.join("\n");
}

/** Columns that a text takes, without the sequences of its colours. */
export function seenWidth(text: string): number {
  return stripVTControlCharacters(text).length;
}
