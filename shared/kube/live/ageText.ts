const units: readonly [seconds: number, letter: string][] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "m"],
  [1, "s"],
];

/** How old something is, in its largest unit only: `37s`, `12m`, `5h`, `3d` (contract P 5.1). `now` in milliseconds. */
export function ageText(since: string | undefined, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since ?? "")) / 1000)) || 0;
  const [size, letter] = units.find(([unit]) => seconds >= unit) ?? [1, "s"];
  return `${Math.floor(seconds / size)}${letter}`;
}
