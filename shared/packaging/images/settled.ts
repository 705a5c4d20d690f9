/**
 * Runs all pieces of work side by side and waits for all of them, so that nothing goes on after it.
 * @throws what the first piece that failed threw
 */
export async function settled<T>(work: readonly (() => Promise<T>)[]): Promise<T[]> {
  const ends = await Promise.allSettled(work.map((piece) => piece()));
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return ends.map((end) => (end as PromiseFulfilledResult<T>).value);
}
