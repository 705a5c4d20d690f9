/** The middle value; of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The smallest value that a share of them, 0.95 for instance, does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? Number.NaN;
}

/** How much `y` grows with one more of `x`: the line of least squares. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (of: readonly number[]): number => sum(of) / of.length;
  const [x, y] = [mean(points.map(([one]) => one)), mean(points.map(([, one]) => one))];
  return sum(points.map((p) => (p[0] - x) * (p[1] - y))) / sum(points.map((p) => (p[0] - x) ** 2));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Runs `work` and tells how long it took, in milliseconds. */
export async function timed<T>(work: () => Promise<T>): Promise<{ result: T; milliseconds: number }> {
  const startedAt = performance.now();
  const result = await work();
  return { result, milliseconds: performance.now() - startedAt };
}

/** The list begun at another place each round, so that nobody always goes first. */
export function rotated<T>(list: readonly T[], round: number): T[] {
  const at = round % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

export const times = (ratio: number): string => `${ratio.toFixed(ratio < 10 ? 2 : 1)}×`;
export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
export const number = (value: number, digits = 0): string => value.toFixed(digits);
