/** What a figure is held against. */
export interface Goal {
  text: string;
  met: boolean;
}

export function atLeast(value: number, goal: number, show: (value: number) => string): Goal {
  return { text: `≥ ${show(goal)}`, met: value >= goal };
}

export function atMost(value: number, goal: number, show: (value: number) => string): Goal {
  return { text: `≤ ${show(goal)}`, met: value <= goal };
}

/** The last two cells of a row; a figure without a goal says so. */
export function judged(goal: Goal | undefined): [string, string] {
  return goal === undefined ? ["none", ""] : [goal.text, goal.met ? "met" : "**missed**"];
}

/** Prints one topic: a heading, a sentence on how it was measured, a Markdown table. */
export function printTable(
  title: string,
  how: string,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = header.map((_, at) => (at === 0 ? "---" : "---:"));
  console.log([`\n## ${title}`, "", how, "", line(header), line(rule), ...rows.map(line)].join("\n"));
}

/** Tells what is being done, beside the report. */
export function progress(text: string): void {
  console.error(`bench: ${text}`);
}
