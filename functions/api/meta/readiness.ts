/** What has to work for the whole to work, by a word for it; whatever a part throws says that it does not. */
export type Parts = Readonly<Record<string, () => Promise<unknown>>>;

/** The words of parts that do not work, with their reasons for the log. */
export type Failures = readonly { part: string; reason: string }[];

/** A part that has not answered by then does not work. */
const longestMilliseconds = 3000;
/** Anybody may ask, as often as they like; the parts are asked once in that time. */
const keptMilliseconds = 1000;

/** Makes what tells which parts do not work. */
export function readiness(parts: Parts): () => Promise<Failures> {
  let last: { at: number; failures: Promise<Failures> } | undefined;
  return () => {
    const now = performance.now();
    if (last === undefined || now - last.at > keptMilliseconds) last = { at: now, failures: failuresOf(parts) };
    return last.failures;
  };
}

async function failuresOf(parts: Parts): Promise<Failures> {
  const asked = Object.entries(parts).map(async ([part, ask]) => {
    try {
      await inTime(ask());
      return [];
    } catch (error) {
      return [{ part, reason: error instanceof Error ? error.message : String(error) }];
    }
  });
  return (await Promise.all(asked)).flat();
}

async function inTime(asked: Promise<unknown>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer in ${longestMilliseconds} ms`)), longestMilliseconds);
  try {
    await Promise.race([asked, promise]);
  } finally {
    clearTimeout(timer);
  }
}
