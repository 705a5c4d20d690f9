/**
 * The known name that a wrong one was probably meant to be.
 * @returns undefined where none is close: more than a third of its letters differ
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const rated = [...known].map((one) => ({ one, distance: distanceOf(name.toLowerCase(), one.toLowerCase()) }));
  const [best] = rated.sort((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= Math.max(1, name.length / 3) ? best.one : undefined;
}

/** Letters to put in, leave out, replace or swap with the next one (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : replaced;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced, swapped));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
