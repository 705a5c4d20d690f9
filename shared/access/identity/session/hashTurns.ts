import { ApiError } from "../../../base/errors/apiError.ts";

/** Each takes about half a second of a processor and 128 MiB, and one of the four threads that DNS and files need too. */
const mostRunning = 2;
const mostWaiting = 32;
/** A full queue is worked off in about ten seconds; a busy machine answers well before its gateway gives up after 29. */
const longestWaitSeconds = 15;
const retryAfterSeconds = 10;

let running = 0;
const waiting = new Set<() => void>();

/**
 * Runs a hash when its turn comes: two run at a time in this process and 32 wait in the order in which they came, for 15
 * seconds at most (decisions 17.8).
 * @throws ApiError 429 with `Retry-After` beyond those
 */
export async function inTurn<Result>(hash: () => Promise<Result>): Promise<Result> {
  if (running < mostRunning) running += 1;
  else if (waiting.size < mostWaiting) await ownTurn();
  else throw tooManyHashes();
  try {
    return await hash();
  } finally {
    const [next] = waiting;
    // The turn is handed on directly: no other hash can take it in between.
    if (next === undefined) running -= 1;
    else next();
  }
}

function ownTurn(): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = (): void => {
      clearTimeout(timer);
      waiting.delete(begin);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting.delete(begin);
      reject(tooManyHashes());
    }, longestWaitSeconds * 1000);
    waiting.add(begin);
  });
}

/** As many hashes run and wait as may: nothing was looked at. */
function tooManyHashes(): ApiError {
  return new ApiError(429, `too many passwords are being checked; try again in ${retryAfterSeconds} seconds`, {
    retryAfterSeconds,
  });
}
