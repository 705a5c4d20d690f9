/** The middle value; of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
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
