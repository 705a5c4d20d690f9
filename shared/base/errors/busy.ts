import { ApiError } from "./apiError.ts";

const retryAfterSeconds = 5;

/**
 * 409: another process is changing at this moment what is to be changed, and nothing was changed here. The pipeline
 * tries the request again for some seconds before it answers so (decisions 19.10).
 */
export class Busy extends ApiError {
  constructor(description: string) {
    super(409, description, { retryAfterSeconds });
  }
}

const mostMilliseconds = 18_000;
const pauseMilliseconds = 500;

/**
 * Does the work of a request again while what it changes is busy, for at most 18 seconds: the gateway answers after 29.
 * @throws Busy when it is busy after that too
 */
export async function whenNotBusy<T>(work: () => Promise<T>): Promise<T> {
  const last = Date.now() + mostMilliseconds;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Busy) || Date.now() + pauseMilliseconds > last) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    }
  }
}
